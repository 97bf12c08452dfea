// Asking for the state of the table and posting what happens at it.

import { askState, isBusy, postEvent, Refused } from "./api.js";
import { keepBodies, knownHashes } from "./areas.js";
import { look, now } from "./now.js";
import { Picking } from "./picking.js";
import { withRules } from "./rules.js";
import { theme, toast } from "./shell.js";
import { say } from "./texts.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./api.js").EventDraft} EventDraft */
/** @typedef {import("./api.js").StateQuery} StateQuery */

/** What the page does when something came back; set by the page. */
export const heard = {
  /** A state has come. @type {(before: State) => void} */
  answer: () => {},
  /** Something else is to be shown of the same state. */
  redraw: () => {},
  /** A post begins. */
  sending: () => {},
  /** A post is over, and its state has come. */
  sent: () => {},
  /** Something was clicked that is not meant now. */
  missed: () => {},
  /** The moves of a state are to be picked. */
  choices: () => {
    now.picking = new Picking(now.state.choices);
  },
};

/** Note whether the server can be heard. @param {boolean} lost */
function setOffline(lost) {
  if (now.offline === lost) return;
  now.offline = lost;
  document.body.classList.toggle("offline", lost);
  if (lost) heard.redraw(); // what has been lost is shown again by the state that comes
}

/** The number of the last event that the stream has told of. */
let newest = 0;
/** Whether something may have happened of which nobody told while a post was under way. */
let missed = false;

/** Something has happened at the table; the echo of one's own posts is known already. @param {number} seq */
export function hear(seq) {
  newest = Math.max(newest, seq);
  if (seq > now.state.seq && !now.busy) ask();
}

/** Ask again, once a post that is under way has been answered. */
export function askSoon() {
  if (now.busy) missed = true;
  else ask();
}

/** The stream is broken: say so, until a state comes. */
export function streamLost() {
  setOffline(true);
  askSoon();
}

/** The tag of the state that was asked for and shown last: the server need not say that again. */
let shownTag = "";
let asked = 0;
/** @type {AbortController | null} */
let question = null;

/** @param {State} answer */
export const drawings = (answer) => [...answer.areas, ...(answer.defs ? [answer.defs] : [])];

/** Ask for the state as it is to be shown now. */
export async function ask() {
  missed = false;
  const mine = ++asked;
  question?.abort();
  question = new AbortController();
  try {
    const { state, tag } = await answerWithDrawings(question.signal);
    const answer = state ?? now.state;
    if (mine !== asked || answer.seq < now.state.seq) return;
    shownTag = tag;
    setOffline(false);
    take(answer);
    if (answer.seq < newest) askLater(mine); // another of the server's processes knows more
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") return;
    if (mine === asked) askedInVain(problem, mine);
  }
}

/** @returns {StateQuery} */
const stateQuery = () => ({ ...look, theme: theme(), lang: now.state.lang });

/** @param {AbortSignal} signal */
async function answerWithDrawings(signal) {
  const query = stateQuery();
  const answer = await askState(now.state.table, { ...query, known: knownHashes() }, signal, shownTag);
  if (!answer.state || keepBodies(drawings(answer.state))) return answer;
  // Something that was known has been let go since.
  const whole = await askState(now.state.table, query, signal);
  if (whole.state) keepBodies(drawings(whole.state));
  return whole;
}

/** Ask once more, unless something else has been asked by then. @param {number} mine */
function askLater(mine) {
  setTimeout(() => {
    if (mine === asked) ask();
  }, 3000);
}

/**
 * @param {unknown} problem
 * @param {number} mine
 */
function askedInVain(problem, mine) {
  if (!(problem instanceof Refused) || isBusy(problem.status)) {
    setOffline(true);
    askLater(mine);
  } else if (look.part || look.ply !== null || look.seat !== null) {
    // What was asked for is gone: a part that no longer counts, a move taken back, a seat moved away.
    look.part = null;
    look.place = null;
    look.ply = null;
    look.seat = null;
    ask();
  } else toast(problem.message);
}

/** @param {State} answer */
function take(answer) {
  const before = now.state;
  now.state = answer;
  if (look.ply !== null && look.ply >= answer.last_ply && !now.paused) look.ply = null;
  const same =
    before.seq === answer.seq &&
    before.viewer === answer.viewer &&
    JSON.stringify(before.choices) === JSON.stringify(answer.choices);
  if (!same || !now.picking.choices.length) {
    heard.choices();
    now.wholeCity = false;
  }
  if (before.to_move !== answer.to_move) now.shown = null;
  if (look.part !== null && partName(before, look.part) !== partName(answer, look.part)) {
    look.part = null; // something else has come to stand in its place
    ask();
  }
  heard.answer(before);
}

/**
 * What a part of a score says.
 * @param {State} state
 * @param {string} part
 */
function partName({ scores }, part) {
  const [seat, nth] = part.split(".").map(Number);
  return scores[seat]?.parts[nth]?.label;
}

/**
 * Post an event; the server's sentence is shown if it says no.
 * @param {EventDraft} event
 */
export async function send(event) {
  if (now.busy) return null;
  now.busy = true;
  document.body.classList.add("busy");
  heard.sending();
  const query = queryAfter(event);
  const answer = await postOn(event, query).catch((problem) => {
    toast(problem instanceof Refused ? withRules(problem.message) : say("no-connection"));
    return null;
  });
  now.busy = false;
  document.body.classList.remove("busy");
  if (answer) {
    if (event.kind === "move") afterMove();
    look.part = null;
    look.place = null;
    look.ply = null;
    now.paused = false;
  }
  const leaves = event.kind === "rematch";
  if (!leaves && !(answer && showPosted(answer.state, query))) await ask();
  heard.sent();
  return answer;
}

/**
 * How the state after an event is to be seen: now, and from the air again after a pick in the plan.
 * @param {EventDraft} event
 * @returns {StateQuery}
 */
function queryAfter(event) {
  const view = event.kind === "move" && now.backToSkyline ? "skyline" : look.view;
  return { ...stateQuery(), view, ply: null, part: null, place: null };
}

/**
 * Show the state that a post was answered with; false if it has to be asked for all the same.
 * @param {State} state
 * @param {StateQuery} query
 */
function showPosted(state, query) {
  const asWanted = JSON.stringify(query) === JSON.stringify(stateQuery());
  if (!asWanted || state.seq < now.state.seq || !keepBodies(drawings(state))) return false;
  asked += 1; // what was asked before the post is older
  shownTag = "";
  question?.abort();
  setOffline(false);
  take(state);
  return !missed && newest <= state.seq;
}

/**
 * A move is for the position it was chosen in; everything else is posted again on top of what has
 * happened meanwhile, such as a bot's move.
 * @param {EventDraft} event
 * @param {StateQuery} query
 */
async function postOn(event, query) {
  const again = event.kind !== "move" && event.kind !== "take-back";
  for (let tries = 1; ; tries += 1) {
    try {
      const { table, seq } = now.state;
      return await postEvent(table, { ...event, seq }, { ...query, known: knownHashes() });
    } catch (problem) {
      const late = problem instanceof Refused && problem.status === 409;
      if (!late || !again || tries === 5) throw problem;
      await ask();
    }
  }
}

function afterMove() {
  now.picking = new Picking([]);
  now.opened = null;
  if (!now.backToSkyline) return;
  now.backToSkyline = false;
  look.view = "skyline";
}

/** @param {number | null} ply */
export function goTo(ply) {
  const within = ply === null ? null : Math.min(Math.max(ply, 0), now.state.last_ply);
  look.ply = within === now.state.last_ply && !now.paused ? null : within;
  look.part = null;
  look.place = null;
  return ask();
}
