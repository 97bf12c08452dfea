// What the match page knows now, shared by its modules, and what can be said of it.

import { at, kept } from "./dom.js";
import { Picking } from "./picking.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./areas.js").AreaView} AreaView */

export const FINGER = 44; // pixels that a target has at least

export const now = {
  /** @type {State} */
  state: JSON.parse(at("state").textContent || "{}"),
  picking: new Picking([]),
  /** Whether a post is under way. */
  busy: false,
  /** Whether the server cannot be heard. */
  offline: false,
  /** Whether the last thing done was a key, so that the focus has to be led. */
  byKeyboard: false,
  /** Whether a finger or a pen was last on the screen, or nothing yet on a screen made for those. */
  byFinger: window.matchMedia("(pointer: coarse)").matches,
  /** Whose city was asked for; null: one's own, or that of who moves. @type {number | null} */
  shown: null,
  /** The city that is opened large, of cities that are nobody's own; its area's name. @type {string | null} */
  opened: null,
  /** Whether to show the whole city, though what can be picked is small in it. */
  wholeCity: false,
  /** What is counted before everybody's eyes: what is said of it, and what each seat has so far. @type {{words: string, sums: Map<number, number>} | null} */
  scene: null,
  /** Whether the page stays at a move while others play on. */
  paused: false,
  /** Whether the plan is shown for a pick alone. */
  backToSkyline: false,
};

/** How the state is asked for; every table opens as a plan, and stays as it was left. */
export const look = {
  /** @type {number | null} */ seat: null,
  /** @type {number | null} */ ply: null,
  /** @type {View} */ view: kept("skyline") === now.state.table ? "skyline" : "plan",
  turn: Number(kept("turn") ?? 0) % 4,
  /** @type {string | null} */ part: null,
  /** Of a part, only what lies in this city. @type {number | null} */ place: null,
};

/** The areas in the page, by name. @type {Map<string, AreaView>} */
export const views = new Map();

/** Whether all panels have room beside or below the board; otherwise they lie behind tabs. */
export const wide = window.matchMedia("(min-width: 700px) and (min-height: 521px)");

// --- questions

export const isPast = () => now.state.ply < now.state.last_ply;

/** The move after which the position is that is seen. */
export const plySeen = () => now.state.moment?.ply ?? now.state.ply;

/** Whether an earlier position is seen: one that was gone back to, or one that was scored. */
export const isEarlier = () => isPast() || Boolean(now.state.moment);

/** Who has won, in the position that is looked at, and once all is counted. */
export const winnersNow = () => (isPast() || now.scene ? [] : now.state.winners);

/** Whether several people sit at this screen. */
export const isHotSeat = () =>
  now.state.mine.filter((seat) => now.state.seats[seat].kind === "human").length > 1;

/** Whether the next person at this screen has yet to say that nobody else looks. */
export function curtained() {
  const { status, curtain, to_move, seats, viewer } = now.state;
  if (status !== "playing") return false;
  const here = to_move !== null && seats[to_move].mine && seats[to_move].kind === "human";
  return curtain || (isHotSeat() && here && viewer !== to_move);
}

/** Whether there is something to pick. */
export const active = () => now.state.your_turn && !isEarlier() && now.picking.choices.length > 0;

export const hasCities = () => now.state.areas.some((area) => area.kind === "city" && area.seat !== null);

export const ownSeat = () => now.state.viewer ?? (now.state.mine.length === 1 ? now.state.mine[0] : null);

/**
 * Who else's moves are watched where only one city has room: who is to move, or has made the move that is looked at.
 * @returns {number | null}
 */
function followedSeat() {
  const { status, to_move, ply, log, mine } = now.state;
  if (wide.matches || now.scene || ownSeat() === null) return null;
  const seat = isPast() ? log[ply - 1]?.seat : status === "playing" ? to_move : null;
  return seat === null || seat === undefined || mine.includes(seat) ? null : seat;
}

/** Whose city is large, or null if all are shown alike. */
export const largeSeat = () => (hasCities() ? (now.shown ?? followedSeat() ?? ownSeat()) : null);

/** Whether somebody else's city is large in the place of one's own. */
export const looksElsewhere = () => hasCities() && ownSeat() !== null && largeSeat() !== ownSeat();

/** The seat of this browser that acts: on one screen, the one to move. */
export function actingSeat() {
  const { to_move, mine } = now.state;
  if (to_move !== null && mine.includes(to_move)) return to_move;
  return ownSeat() ?? mine[0] ?? null;
}

/** The seats of this browser that a bot plays for it. */
export const lentSeats = () => now.state.mine.filter((seat) => now.state.seats[seat].kind === "bot");

/**
 * Everything that can ever be picked, where it is, and its number among those of the same area that
 * stand for the same.
 * @returns {[SVGGraphicsElement, AreaView, number][]}
 */
export function elements() {
  return [...views.values()].flatMap((view) =>
    view.things().map(([one, copy]) => /** @type {[SVGGraphicsElement, AreaView, number]} */ ([one, view, copy])),
  );
}

/**
 * Whether an area is one's own to pick in.
 * @param {AreaView} view
 */
export const isOwn = ({ area }) => area.kind === "panel" || area.seat === null || area.seat === now.state.viewer;

/** @param {Element} element */
export function isSeen(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && getComputedStyle(element).visibility === "visible";
}
