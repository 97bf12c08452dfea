// The log and the timeline: every move can be looked at again.

import { goTo } from "./asking.js";
import { at, icon, make } from "./dom.js";
import { isPast, now } from "./now.js";
import { logScroller, scrollToNewest, showsLog } from "./tabs.js";
import { say } from "./texts.js";

const PACE = 900; // milliseconds a move

/** The number of the last move that was spoken. */
let told = now.state.last_ply;
/** @type {ReturnType<typeof setInterval> | undefined} */
let running;

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
  log.replaceChildren(...now.state.log.map(entryRow));
  if (!now.state.log.length) log.append(make("li", { class: "quiet" }, say("no-moves")));
  if (focused) /** @type {HTMLElement | null} */ (log.querySelector(`[data-ply="${focused}"]`))?.focus();
  if (atEnd && !isPast()) scrollToNewest();
}

/** @param {import("./types.js").Entry} entry */
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
        "aria-current": entry.ply === now.state.ply && isPast() ? "true" : null,
        onclick: () => goTo(entry.ply),
      },
      make("span", { class: "ply" }, String(entry.ply)),
      make("span", {}, make("b", {}, name), ` ${entry.text}`),
    ),
  );
}

export function showTime() {
  const { state } = now;
  at("timeline").hidden = !(state.status === "over" || isPast());
  const scrubber = /** @type {HTMLInputElement} */ (at("scrubber"));
  scrubber.max = String(state.last_ply);
  if (document.activeElement !== scrubber || running) scrubber.value = String(state.ply);
  at("ply").textContent = `${state.ply} / ${state.last_ply}`;
  if (running && !isPast()) stop();
}

function stop() {
  clearInterval(running);
  running = undefined;
  at("run").setAttribute("aria-pressed", "false");
  at("run").replaceChildren(icon("play"));
}

async function run() {
  if (running) return stop();
  if (!isPast()) await goTo(0);
  running = setInterval(() => goTo(now.state.ply + 1), PACE);
  at("run").setAttribute("aria-pressed", "true");
  at("run").replaceChildren(icon("pause"));
}

/** One move back or on. @param {number} by */
export function step(by) {
  stop();
  goTo(now.state.ply + by);
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
