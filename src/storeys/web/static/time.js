// The log and the timeline: every move can be looked at again.

import { goTo, heard } from "./asking.js";
import { at, icon, keep, kept, make } from "./dom.js";
import { sinceOwn } from "./latest.js";
import { endAll, hasten } from "./motion.js";
import { curtained, isEarlier, isPast, look, now, plySeen } from "./now.js";
import { toast } from "./shell.js";
import { logScroller, scrollToNewest, showsLog } from "./tabs.js";
import { say } from "./texts.js";

const PACE = 900; // milliseconds a move
const SPEEDS = [1, 2, 4, 0.5];
const MOST_SPOKEN = 40; // lines: a scene has many, and what is taken away too soon may not be heard

/** The number of the last move that was spoken. */
let told = now.state.last_ply;
/** Which run of the moves is under way; 0: none. */
let running = 0;
let runs = 0;

/** How many times as quick moves are played. */
let speed = SPEEDS.find((one) => String(one) === kept("speed")) ?? 1;

/** Say aloud what others did. */
export function tell() {
  const { log, seats, last_ply } = now.state;
  for (const entry of log.filter((one) => one.ply > told && !seats[one.seat]?.mine).slice(-4)) {
    at("spoken").append(make("p", {}, `${seats[entry.seat]?.name}: ${entry.text}`));
  }
  while (at("spoken").childElementCount > MOST_SPOKEN) at("spoken").firstElementChild?.remove();
  told = last_ply;
}

/** A row of the log: a move, or what everybody was told; what it says, and its element. @typedef {{ply: number | null, name: string, text: string, row: HTMLElement | null}} Row */
/** The rows that are there. @type {Row[]} */
let rows = [];

/** Show the log; the rows that are there already stay, as nearly all of them do. */
export function showLog() {
  const wanted = logRows();
  const changed = wanted.findIndex((one, nth) => !isAlike(one, rows[nth]));
  const from = changed < 0 ? wanted.length : changed;
  if (from < wanted.length || from < rows.length || !wanted.length) changeLog(wanted, from);
  for (const { ply, row } of rows) {
    if (ply !== null) row?.firstElementChild?.toggleAttribute("aria-current", ply === plySeen() && isEarlier());
  }
}

/**
 * Put other rows from one on into the log.
 * @param {Row[]} wanted
 * @param {number} from
 */
function changeLog(wanted, from) {
  const follows = showsLog() && atEnd;
  const log = at("log");
  while (log.childElementCount > from) log.lastElementChild?.remove();
  rows = [...rows.slice(0, from), ...wanted.slice(from).map((one) => ({ ...one, row: rowOf(one) }))];
  log.append(...rows.slice(from).map(({ row }) => row ?? ""));
  if (!rows.length) log.append(make("li", { class: "quiet" }, say("no-moves")));
  if (follows && !isPast()) requestAnimationFrame(scrollToNewest); // the browser has to lay out by then anyway
}

/** Whether the newest entry is in sight, or nearly; noted when somebody scrolls, as asking takes long. */
let atEnd = true;

function noteEnd() {
  const { scrollHeight, scrollTop, clientHeight } = logScroller();
  atEnd = scrollHeight - scrollTop - clientHeight < 60;
}

/**
 * @param {Row} one
 * @param {Row | undefined} other
 */
const isAlike = (one, other) => one.ply === other?.ply && one.name === other.name && one.text === other.text;

/** The moves, and between them what everybody was told. @returns {Row[]} */
function logRows() {
  const { log, notices, seats } = now.state;
  const after = (/** @type {number} */ ply) => notices.filter((one) => Math.min(one.ply, log.length) === ply);
  const told = (/** @type {number} */ ply) => after(ply).map(({ text }) => ({ ply: null, name: "", text, row: null }));
  const moved = log.flatMap(({ ply, seat, text }) => [{ ply, name: seats[seat]?.name ?? "", text, row: null }, ...told(ply)]);
  return [...told(0), ...moved];
}

/** @param {Row} row */
function rowOf({ ply, name, text }) {
  if (ply === null) return make("li", { class: "notice" }, text);
  return make(
    "li",
    {},
    make(
      "button",
      { type: "button", "data-ply": ply, onclick: () => goTo(ply) },
      make("span", { class: "ply" }, String(ply)),
      make("span", {}, make("b", {}, name), ` ${text}`),
    ),
  );
}

/** The number of the last event that this browser was told of in words. */
let noticed = Number(kept(`noticed-${now.state.table}`) ?? 0);

/** Pop up what has been told at the table since this browser last looked. */
export function showNotices() {
  for (const one of now.state.notices.filter(({ seq }) => seq > noticed)) {
    toast(one.text);
    noticed = one.seq;
    keep(`noticed-${now.state.table}`, String(noticed));
  }
}

/** Whether time can be moved in: it is in the place of the actions while there is nothing to pick. */
export function showsTime() {
  const { status, your_turn } = now.state;
  if (now.scene || curtained()) return false;
  return status === "over" || isEarlier() || now.paused || (status === "playing" && !your_turn);
}

export function showTime() {
  const { state } = now;
  at("timeline").hidden = !showsTime();
  showPause();
  const scrubber = /** @type {HTMLInputElement} */ (at("scrubber"));
  scrubber.max = String(state.last_ply);
  if (document.activeElement !== scrubber || running) scrubber.value = String(plySeen());
  at("ply").textContent = `${plySeen()} / ${state.last_ply}`;
  if (running && !isPast()) stop();
}

/** Milliseconds that something stays to be looked at, at the speed that is chosen. */
export const pace = () => PACE / speed;

/** Whether moves are being played. */
export const isRunning = () => running > 0;

function stop() {
  running = 0;
  showPause();
  at("run").setAttribute("aria-pressed", "false");
  at("run").replaceChildren(icon("play"));
}

/** Play the moves from the one that is seen on, or from the first; what was paused goes on. */
async function run() {
  if (running) return stop();
  if (now.paused) return goOn();
  if (isPast()) return playOn();
  await playAgain();
}

// --- pause and speed, while others play

/** Others can be paused while they play, or are watched: they play on, the page stays where it is. */
function showPause() {
  const { status, your_turn } = now.state;
  const others = now.paused || (status === "playing" && !your_turn && !isEarlier());
  at("pause").hidden = !others;
  at("run").hidden = others;
  at("pause").setAttribute("aria-pressed", String(now.paused));
  at("pause").replaceChildren(icon(now.paused ? "play" : "pause"));
  at("speed").textContent = say("speed-times", { n: speed === 0.5 ? "½" : speed });
  const back = isEarlier() && !now.paused && !running;
  at("skip").lastElementChild?.replaceChildren(say(back ? "back-to-now" : "skip-to-now"));
  at("skip").toggleAttribute("disabled", status === "over" && !isEarlier());
}

function pause() {
  if (now.paused) return goOn();
  now.paused = true;
  look.ply = now.state.ply;
  heard.redraw();
}

/** Go on from where it was paused, move by move until now. */
function goOn() {
  now.paused = false;
  if (isPast()) playOn();
  else goTo(null);
}

/** Leave out what has not been seen yet; what is under way is there. */
function skip() {
  stop();
  endAll();
  now.paused = false;
  goTo(null);
}

function changeSpeed() {
  speed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length];
  keep("speed", String(speed));
  hasten(speed);
  showPause();
}

/** Play all moves from the first on. */
export async function playAgain() {
  stop();
  await goTo(0);
  await playOn();
}

/** One move after the other, each asked for when the one before is seen, until the last or a stop. */
async function playOn() {
  const mine = (running = ++runs);
  showPause();
  at("run").setAttribute("aria-pressed", "true");
  at("run").replaceChildren(icon("pause"));
  while (running === mine) {
    await new Promise((resolve) => setTimeout(resolve, pace()));
    if (running === mine) await goTo(now.state.ply + 1);
  }
}

/** What the others did since one's own last turn, move by move from the board as one left it. */
async function playSinceLast() {
  const since = sinceOwn();
  if (!since) return;
  stop();
  now.shown = null;
  await goTo(since.from);
  await playOn();
}

/** One move back or on. @param {number} by */
export function step(by) {
  stop();
  goTo(plySeen() + by);
}

export function listenToTime() {
  hasten(speed);
  at("step-back").addEventListener("click", () => step(-1));
  at("step-on").addEventListener("click", () => step(1));
  at("run").addEventListener("click", run);
  at("pause").addEventListener("click", pause);
  at("speed").addEventListener("click", changeSpeed);
  at("skip").addEventListener("click", skip);
  at("since").addEventListener("click", playSinceLast);
  for (const id of ["log", "panels"]) at(id).addEventListener("scroll", noteEnd, { passive: true });
  at("scrubber").addEventListener("input", (event) => {
    stop();
    goTo(Number(/** @type {HTMLInputElement} */ (event.target).value));
  });
}
