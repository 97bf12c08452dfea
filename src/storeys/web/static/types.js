/**
 * What the server sends, as types.
 *
 * @typedef {{move: string, picks: Record<string, string>, label: string, note?: string}} Choice
 *   A legal move, what has to be picked for it, and how it reads; `note` is what it brings.
 * @typedef {{name: string, kind: "city" | "panel", seat: number | null, title: string, hash: string,
 *   width: number, height: number, body: string | null}} Area
 * @typedef {{text: string, fill: string, ink: string}} Badge
 *   A letter in a colour, for what a seat plays with.
 * @typedef {{seat: number, name: string, kind: "human" | "bot" | "open", bot: string | null,
 *   mine: boolean, resigned: boolean, invite: string | null, may_invite: boolean,
 *   badges?: Badge[]}} Seat
 * @typedef {{rule: string, label: string, points: number, highlight: number[][]}} Part
 * @typedef {{seat: number, total: number, parts: Part[]}} Score
 * @typedef {{ply: number, seat: number, text: string}} Entry
 * @typedef {{seq: number, ply: number, seat: number | null, text: string}} Notice
 *   What everybody at the table is told beside the moves, after the move `ply`.
 * @typedef {{record: string | null, picture: string | null, rules: string | null}} Links
 * @typedef {"light" | "dark" | "colour-blind"} Theme
 * @typedef {"plan" | "skyline"} View
 * @typedef {{table: string, game: string, title: string, seq: number, ply: number, last_ply: number,
 *   status: "waiting" | "playing" | "over", lang: string, players: number, seats: Seat[],
 *   viewer: number | null, mine: number[], to_move: number | null, your_turn: boolean,
 *   curtain: boolean, prompt: string, round: string, choices: Choice[], can_take_back: boolean,
 *   areas: Area[], defs?: {hash: string, body: string | null}, scores: Score[], log: Entry[],
 *   moment: {ply: number, round: number} | null, notices: Notice[], rematch?: string | null,
 *   winners: number[], links: Links,
 *   theme?: Theme, view?: View, turn?: number}} State
 * @typedef {{seat?: number | null, ply?: number | null, view: View, turn: number, theme: Theme,
 *   lang: string, part?: string | null, known?: string[]}} Question
 *   How a state is asked for.
 */

export {};
