// What the server takes and sends, as types.
//
// Made by `python -m tools.make_page_types` from the API's description; do not edit.

/**
 * A part of the picture: a city on the board, or a panel beside it.
 * @typedef {object} Area
 * @property {string} hash
 * @property {string | null} body
 * @property {string} name
 * @property {"city" | "panel"} kind
 * @property {number | null} seat
 * @property {string} title
 * @property {number} width
 * @property {number} height
 * @property {number[] | null} crop what is seen of it where there is little room: x, y, width, height
 */

/**
 * A letter in a colour, for what a seat plays with.
 * @typedef {object} Badge
 * @property {string} text
 * @property {string} fill
 * @property {string} ink
 */

/**
 * A legal move, what has to be picked for it, how it reads, and what it brings at once.
 * @typedef {object} Choice
 * @property {string} move
 * @property {{[key: string]: string}} picks
 * @property {string} label
 * @property {Preview} [preview]
 * @property {boolean} [ends] whether it ends a turn that could go on
 * @property {string} [note]
 */

/**
 * How far the games are compiled that were not when the server started.
 * @typedef {object} Compiled
 * @property {boolean} busy
 * @property {GameCompiled[]} games
 */

/**
 * Keys whose picks are numbers that add up: `words[n]` says that `n` more are to be picked.
 * @typedef {object} Count
 * @property {string[]} keys
 * @property {string[]} words
 */

/**
 * SVG by its hash; without its body where the asker has said to know it.
 * @typedef {object} Drawing
 * @property {string} hash
 * @property {string | null} body
 */

/**
 * The matches that were played in a row at a table, the first one first, and their sums.
 * @typedef {object} Evening
 * @property {string[]} names
 * @property {string[]} faces
 * @property {number[]} wins
 * @property {number[]} points
 * @property {EveningMatch[]} matches
 */

/**
 * One match of an evening; seats are those of the table that was asked for.
 * @typedef {object} EveningMatch
 * @property {string} table
 * @property {number} when
 * @property {boolean} over
 * @property {number[]} totals what each seat has got, once it is over
 * @property {number[]} winners
 */

/**
 * How far a game is compiled, in steps.
 * @typedef {object} GameCompiled
 * @property {string} game
 * @property {number} done
 * @property {number} steps
 */

/**
 * The query of `get_state`.
 * @typedef {object} GetStateQuery
 * @property {number | null} [ply] the position after so many moves
 * @property {string | null} [part] parts of scores to light up: 0.3 or 0.3,1.2
 * @property {number | null} [place] of those parts, only what lies in this city
 * @property {number | null} [seat] whose view: a seat of one's own
 * @property {"plan" | "skyline"} [view]
 * @property {number} [turn] quarter turns of the skyline
 * @property {"light" | "dark" | "colour-blind"} [theme]
 * @property {string | null} [lang] a language; without one that of the browser
 * @property {string} [known] hashes of drawings that need not be sent again
 */

/**
 * First steps: what is said now, and which of the choices are waited for.
 * @typedef {object} Lesson
 * @property {number} nth how many of one's moves are made
 * @property {number} of how many there are
 * @property {LessonBubble[]} bubbles
 * @property {number[] | null} takes numbers of choices; null if none is waited for
 */

/**
 * Something that is said in first steps, and what it speaks of.
 * @typedef {object} LessonBubble
 * @property {string} text
 * @property {string[]} light parts of the page, or `area NAME`
 * @property {boolean} asks whether something is to be done, not only read
 */

/**
 * Where to find more of a table.
 * @typedef {object} Links
 * @property {string | null} record
 * @property {string} picture
 * @property {string} rules
 */

/**
 * A move that was made, in words, and which pieces of the picture it put on the board.
 * @typedef {object} LogEntry
 * @property {number} ply after how many moves
 * @property {number} seat a seat, counted from 0
 * @property {string} text
 * @property {string[]} pieces
 */

/**
 * The earlier position that is shown because a part of a score was made then.
 * @typedef {object} Moment
 * @property {number} ply after how many moves
 * @property {number} round
 */

/**
 * A move: its notation or its dict.
 * @typedef {object} MoveEvent
 * @property {string} id an id of your own
 * @property {number} seq the number of the last event you know
 * @property {number} seat a seat, counted from 0
 * @property {"move"} kind
 * @property {string | {[key: string]: unknown}} move
 */

/**
 * What everybody at the table is told beside the moves, after the move `ply`.
 * @typedef {object} Notice
 * @property {number} seq
 * @property {number} ply after how many moves
 * @property {number | null} seat
 * @property {string} text
 */

/**
 * The number of the event that a post became, and what can be seen since.
 * @typedef {object} Posted
 * @property {number} seq
 * @property {string} [table] the table of a rematch
 * @property {State} state
 */

/**
 * What a move changes beside points, or still needs: short for the board, and in words.
 * @typedef {object} Preview
 * @property {string[]} badge
 * @property {string} words
 * @property {string | null} becomes what stands on the place then, in short
 */

/**
 * The same match once more at a new table.
 * @typedef {object} RematchEvent
 * @property {string} id an id of your own
 * @property {number} seq the number of the last event you know
 * @property {number} seat a seat, counted from 0
 * @property {"rematch"} kind
 */

/**
 * The seat has another name.
 * @typedef {object} RenameEvent
 * @property {string} id an id of your own
 * @property {number} seq the number of the last event you know
 * @property {number} seat a seat, counted from 0
 * @property {"rename"} kind
 * @property {string} name
 * @property {string | null} [face] a roof and a colour: `dome-teal`
 */

/**
 * The seat is given up for good; a bot plays on.
 * @typedef {object} ResignEvent
 * @property {string} id an id of your own
 * @property {number} seq the number of the last event you know
 * @property {number} seat a seat, counted from 0
 * @property {"resign"} kind
 */

/**
 * The owner plays again for a seat that a bot has played for.
 * @typedef {object} ReturnEvent
 * @property {string} id an id of your own
 * @property {number} seq the number of the last event you know
 * @property {number} seat a seat, counted from 0
 * @property {"return"} kind
 */

/**
 * The points of a seat, as if the match ended now.
 * @typedef {object} Score
 * @property {number} seat a seat, counted from 0
 * @property {number} total
 * @property {number | null} safe what counts now, where a game promises more
 * @property {number | null} promised what counts minus as long as it lacks something
 * @property {ScorePart[]} parts
 */

/**
 * What a seat has points for, by which rule, and the squares that light up for it.
 * @typedef {object} ScorePart
 * @property {string} rule
 * @property {string} label
 * @property {number} points
 * @property {number[][]} highlight
 * @property {number | null} round when it was scored, if not at the end
 */

/**
 * Who sits at a seat.
 * @typedef {object} Seat
 * @property {number} seat a seat, counted from 0
 * @property {string} name
 * @property {SeatKind} kind
 * @property {string | null} bot
 * @property {string | null} face where the face of who sits there is found
 * @property {boolean} mine
 * @property {boolean} resigned
 * @property {boolean} stand_in whether a bot plays this turn alone
 * @property {string | null} invite the link that fills an open seat
 * @property {boolean} may_invite
 * @property {Badge[]} badges
 */

/**
 * @typedef {"human" | "bot" | "open"} SeatKind
 */

/**
 * Everything that a page needs to show a table to a browser and let it play.
 * @typedef {object} State
 * @property {string} table
 * @property {string} game
 * @property {string} title
 * @property {number} seq the number of the last event
 * @property {number} ply after how many moves
 * @property {number} last_ply after how many moves
 * @property {Status} status
 * @property {string} lang
 * @property {number} players
 * @property {Seat[]} seats
 * @property {number | null} viewer whose view this is
 * @property {number[]} mine
 * @property {number | null} to_move
 * @property {boolean} your_turn
 * @property {boolean} curtain whether the next person has yet to come
 * @property {string} prompt
 * @property {string} goal what it takes to win
 * @property {string} help the section of the rules that matters now
 * @property {string} round
 * @property {string} headline the round, and how many there are
 * @property {Moment | null} moment
 * @property {Choice[]} choices
 * @property {Step[]} steps what can be picked, in words
 * @property {Count | null} count how many are to be picked in all
 * @property {boolean} can_take_back
 * @property {Area[]} areas
 * @property {Drawing} defs
 * @property {Score[]} scores
 * @property {LogEntry[]} log
 * @property {Notice[]} notices
 * @property {number[]} winners
 * @property {string | null} rematch the table of the rematch
 * @property {string | null} previous the table that this is a rematch of
 * @property {Lesson | null} lesson first steps, while they are taken
 * @property {View} view
 * @property {number} turn
 * @property {Theme} theme
 * @property {Links} links
 * @property {TurnClock | null} clock null: there is no hurry
 */

/**
 * @typedef {"waiting" | "playing" | "over"} Status
 */

/**
 * What a key of the choices' picks is called: a thing to pick next.
 * @typedef {object} Step
 * @property {string} key
 * @property {string} words
 */

/**
 * Something to be done at a table, by its kind.
 * @typedef {MoveEvent | TakeBackEvent | ResignEvent | TakeOverEvent | ReturnEvent | RenameEvent | RematchEvent} TableEvent
 */

/**
 * The seat's last move is taken back.
 * @typedef {object} TakeBackEvent
 * @property {string} id an id of your own
 * @property {number} seq the number of the last event you know
 * @property {number} seat a seat, counted from 0
 * @property {"take-back"} kind
 */

/**
 * A bot plays for the seat.
 * @typedef {object} TakeOverEvent
 * @property {string} id an id of your own
 * @property {number} seq the number of the last event you know
 * @property {number} seat a seat, counted from 0
 * @property {"take-over"} kind
 * @property {string | null} [bot]
 */

/**
 * @typedef {"light" | "dark" | "colour-blind"} Theme
 */

/**
 * The clock of a table: all times are the server's, in seconds since 1970.
 * @typedef {object} TurnClock
 * @property {"none" | "2-minutes" | "day"} kind
 * @property {number | null} deadline when a bot plays for who is to move
 * @property {number} now when this was said, to tell how much is left
 */

/**
 * @typedef {"plan" | "skyline"} View
 */

export {};
