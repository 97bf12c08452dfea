// Scoring is a scene: what a round or the whole match has brought is counted on the board, place by
// place, the sums growing; whoever has seen enough skips it.

import { ask } from "./asking.js";
import { at, keep, kept, make } from "./dom.js";
import { flyPoints } from "./motion.js";
import { hasCities, look, now, views } from "./now.js";
import { openSheet } from "./points.js";
import { signed } from "./scores.js";
import { figure, say } from "./texts.js";
import { isRunning, pace } from "./time.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").ScorePart} ScorePart */
/** @typedef {{seat: number, name: string, part: ScorePart}} Line a part of a seat's score, by the name it is asked for */
/** @typedef {{place: number | null, names: string[], words: string, points: Map<number, number>}} Step */

let scenes = 0;
/** Ends the wait for the next step. */
let wake = () => {};

// --- when there is something to count

/** How much of this table's scoring this browser has counted: a round, or all. */
const countedKey = `counted-${now.state.table}`;
const ALL = 1000;

/** How much has been scored. @param {State} state */
const scoredIn = (state) => (state.status === "over" ? ALL : lastRound(state));

/**
 * Count what has been scored since somebody last looked; false if nothing has.  Who was away, looked at an earlier
 * move or has just opened the page has it counted once the present is seen.
 * @param {State} before
 */
export function countScores(before) {
  const { state } = now;
  const looks = look.ply === null && look.part === null && state.ply === state.last_ply;
  if (!looks || isRunning() || document.hidden || now.scene) return false;
  const known = Number(kept(countedKey) ?? scoredIn(before));
  const reached = scoredIn(state);
  if (kept(countedKey) !== String(reached)) keep(countedKey, String(reached));
  return reached > known && count(lastRound(state), reached === ALL);
}

/** Count the end of the match once more. */
export const countAgain = () => count(lastRound(now.state), true);

/**
 * Count a round, or a match that is scored at its end.
 * @param {number} round
 * @param {boolean} over
 */
function count(round, over) {
  const lines = linesOf(now.state).filter(({ part }) => part.round === (round || null));
  const steps = stepsOf(lines);
  if (!steps.length) return false;
  play(steps, lines, round ? say("counted-round", { n: round }) : say("counted-end"), over);
  return true;
}

/** The last round that has been scored; 0: none, or the game is scored at its end. @param {State} state */
const lastRound = (state) => Math.max(0, ...linesOf(state).map(({ part }) => part.round ?? 0));

/**
 * Everything that gave or cost points.
 * @param {State} state
 * @returns {Line[]}
 */
const linesOf = ({ scores }) =>
  scores.flatMap(({ seat, parts }) =>
    parts.map((part, nth) => ({ seat, name: `${seat}.${nth}`, part })).filter(({ part }) => part.points !== 0),
  );

// --- what is counted in which order

/**
 * Place by place where seats share them, line by line where each has its own.
 * @param {Line[]} lines
 */
function stepsOf(lines) {
  /** @type {Map<number, Set<number>>} */
  const seatsIn = new Map();
  for (const { seat, part } of lines) {
    for (const [place] of part.highlight) seatsIn.set(place, (seatsIn.get(place) ?? new Set()).add(seat));
  }
  const shared = seatsIn.size > 1 && [...seatsIn.values()].some((seats) => seats.size > 1);
  return shared ? byPlace(lines, [...seatsIn.keys()].sort((a, b) => a - b)) : lines.map(byLine);
}

/**
 * @param {Line[]} lines
 * @param {number[]} places
 * @returns {Step[]}
 */
function byPlace(lines, places) {
  const nowhere = lines.filter(({ part }) => !part.highlight.length);
  return [...places.map((place) => placeStep(lines, place)), ...nowhere.map(byLine)];
}

/**
 * What a place brings each seat; a part that counts in several places has its share in each.
 * @param {Line[]} lines
 * @param {number} place
 * @returns {Step}
 */
function placeStep(lines, place) {
  /** @type {Map<number, number>} */
  const points = new Map();
  const here = lines.filter(({ part }) => part.highlight.some(([where]) => where === place));
  for (const { seat, part } of here) {
    const share = (part.points * part.highlight.filter(([where]) => where === place).length) / part.highlight.length;
    points.set(seat, (points.get(seat) ?? 0) + share);
  }
  const all = [...points].sort(([a], [b]) => a - b).map(([seat, won]) => `${nameOf(seat)} ${signed(won)}`);
  const title = now.state.areas.find(({ name }) => name === `city-${place}`)?.title ?? "";
  return { place, names: here.map(({ name }) => name), words: say("counted", { place: title, points: all.join(", ") }), points };
}

/**
 * @param {Line} line
 * @returns {Step}
 */
const byLine = ({ seat, name, part }) => ({
  place: null,
  names: [name],
  words: say("counted-part", { name: nameOf(seat), label: part.label, points: signed(part.points) }),
  points: new Map([[seat, part.points]]),
});

/** @param {number} seat */
const nameOf = (seat) => now.state.seats[seat]?.name ?? "";

// --- playing it

/**
 * One step after the other, each asked for when the one before has been seen.
 * @param {Step[]} steps
 * @param {Line[]} lines
 * @param {string} title
 * @param {boolean} over
 */
async function play(steps, lines, title, over) {
  endScene();
  const mine = ++scenes;
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const { seat, total } of now.state.scores) {
    const counted = lines.filter((line) => line.seat === seat).reduce((sum, { part }) => sum + part.points, 0);
    sums.set(seat, total - counted);
  }
  now.scene = { words: title, sums };
  document.body.classList.add("counting");
  at("prompt").setAttribute("aria-live", "off"); // each step is told apart, and none is cut short by the next
  for (const step of steps) {
    await showStep(step, mine);
    if (scenes !== mine) return;
    await new Promise((resolve) => {
      wake = () => resolve(null);
      setTimeout(wake, steps.length > 12 ? pace() / 2 : pace());
    });
    if (scenes !== mine) return;
  }
  endScene();
  if (over) openSheet();
}

/**
 * @param {Step} step
 * @param {number} mine
 */
async function showStep(step, mine) {
  const { scene } = now;
  if (!scene) return;
  scene.words = step.words;
  tell(step.words);
  look.part = step.names.join(",");
  look.place = step.place;
  const [seat] = step.points.keys();
  if (hasCities()) now.shown = seat;
  for (const [one, points] of step.points) scene.sums.set(one, (scene.sums.get(one) ?? 0) + points);
  await ask();
  if (scenes !== mine) return;
  const counted = views.get(`city-${step.place ?? (hasCities() ? seat : 0)}`)?.svg;
  counted?.scrollIntoView({ block: "nearest" });
  const city = counted?.getBoundingClientRect();
  for (const [one, points] of step.points) {
    const goal = document.querySelector(`#seats [data-seat="${one}"] .sum`)?.getBoundingClientRect();
    if (city && goal) flyPoints(points, city, goal, 0);
  }
}

/** Everything is counted at once; at the end of a match, the sheet follows. */
export function endScene() {
  if (!now.scene) return;
  scenes += 1;
  now.scene = null;
  now.shown = null;
  look.part = null;
  look.place = null;
  document.body.classList.remove("counting");
  at("prompt").setAttribute("aria-live", "polite");
  wake();
  tellSums();
  ask();
}

/** Skip what has not been counted yet. */
export function skipScene() {
  const over = now.state.status === "over";
  endScene();
  if (over) openSheet();
}

/** Who cannot see the sums hears them. */
function tellSums() {
  const sums = now.state.scores.map(({ seat, total }) => `${nameOf(seat)} ${figure(total)}`).join(", ");
  tell(say("sums", { sums }));
}

/** @param {string} words */
const tell = (words) => at("spoken").append(make("p", {}, words));

/** Whoever does something else has seen enough: the click counts, and the scene is over. */
export function listenToScene() {
  const ends = (/** @type {Event} */ { target }) => {
    const control = /** @type {Element} */ (target).closest("button, a, input, summary, [role=button]");
    if (now.scene && control && !control.matches("#skip-scene")) endScene();
  };
  document.addEventListener("click", ends, true);
}
