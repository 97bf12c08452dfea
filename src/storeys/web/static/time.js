// The log and the timeline: every move can be looked at again.

import { goTo } from "./asking.js";
import { at, icon, keep, kept, make } from "./dom.js";
import { isEarlier, isPast, now, plySeen } from "./now.js";
import { toast } from "./shell.js";
import { logScroller, scrollToNewest, showsLog } from "./tabs.js";
import { say } from "./texts.js";

const PACE = 900; // milliseconds a move

/** The number of the last move that was spoken. */
let told = now.state.last_ply;
/** Which run of the moves is under way; 0: none. */
let running = 0;
let runs = 0;

/** Say aloud what others did. */
export function tell() {
  const { log, seats, last_ply } = now.state;
  for (const entry of log.filter((one) => one.ply > told).slice(-4)) {
    if (!seats[entry.seat]?.mine) at("spoken").append(make("p", {}, `${seats[entry.seat]?.name}: ${entry.text}`));
  }
  while (at("spoken").childElementCount > 8) at("spoken").firstElementChild?.remove();
  told = last_ply;
}

export function showLog() {
  const log = at("log");
  const { scrollHeight, scrollTop, clientHeight } = logScroller();
  const atEnd = showsLog() && scrollHeight - scrollTop - clientHeight < 60;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.ply;
  log.replaceChildren(...logRows());
  if (!log.childElementCount) log.append(make("li", { class: "quiet" }, say("no-moves")));
  if (focused) /** @type {HTMLElement | null} */ (log.querySelector(`[data-ply="${focused}"]`))?.focus();
  if (atEnd && !isPast()) scrollToNewest();
}

/** The moves, and between them what everybody was told. */
function logRows() {
  const { log, notices } = now.state;
  const after = (/** @type {number} */ ply) => notices.filter((one) => Math.min(one.ply, log.length) === ply);
  const told = (/** @type {number} */ ply) => after(ply).map((one) => make("li", { class: "notice" }, one.text));
  return [...told(0), ...log.flatMap((entry) => [entryRow(entry), ...told(entry.ply)])];
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

/** @param {import("./types.js").LogEntry} entry */
function entryRow(entry) {
  const name = now.state.seats[entry.seat]?.name ?? "";
  return make(
    "li",
    {},
    make(
      "button",
      {
        type: "button",
        "data-ply": entry.ply,
        "aria-current": entry.ply === plySeen() && isEarlier() ? "true" : null,
        onclick: () => goTo(entry.ply),
      },
      make("span", { class: "ply" }, String(entry.ply)),
      make("span", {}, make("b", {}, name), ` ${entry.text}`),
    ),
  );
}

export function showTime() {
  const { state } = now;
  at("timeline").hidden = !(state.status === "over" || isEarlier());
  const scrubber = /** @type {HTMLInputElement} */ (at("scrubber"));
  scrubber.max = String(state.last_ply);
  if (document.activeElement !== scrubber || running) scrubber.value = String(plySeen());
  at("ply").textContent = `${plySeen()} / ${state.last_ply}`;
  if (running && !isPast()) stop();
}

function stop() {
  running = 0;
  at("run").setAttribute("aria-pressed", "false");
  at("run").replaceChildren(icon("play"));
}

/** Play the moves from the one that is seen on, or from the first. */
async function run() {
  if (running) return stop();
  if (isPast()) return playOn();
  await playAgain();
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
  at("run").setAttribute("aria-pressed", "true");
  at("run").replaceChildren(icon("pause"));
  while (running === mine) {
    await new Promise((resolve) => setTimeout(resolve, PACE));
    if (running === mine) await goTo(now.state.ply + 1);
  }
}

/** One move back or on. @param {number} by */
export function step(by) {
  stop();
  goTo(plySeen() + by);
}

export function listenToTime() {
  at("step-back").addEventListener("click", () => step(-1));
  at("step-on").addEventListener("click", () => step(1));
  at("run").addEventListener("click", run);
  at("scrubber").addEventListener("input", (event) => {
    stop();
    goTo(Number(/** @type {HTMLInputElement} */ (event.target).value));
  });
}
