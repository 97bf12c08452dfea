// The time that is left for a turn, by the server's clock: this machine's may be wrong.

import { at } from "./dom.js";
import { isEarlier, now } from "./now.js";
import { say } from "./texts.js";

/** When the server's time was heard, by a clock here that nobody sets. @type {{said: number, at: number}} */
const heard = { said: 0, at: 0 };
/** How many seconds before the end somebody who listens is told. */
const TOLD_AT = [30, 10];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;
/** What was told last, so that it is told once. */
let told = "";

/** Seconds of the server since 1970, as far as can be known. */
const serverTime = () => heard.said + (performance.now() - heard.at) / 1000;

/** Note what the server's time is. @param {number} seconds */
function hearTime(seconds) {
  if (seconds === heard.said) return;
  heard.said = seconds;
  heard.at = performance.now();
}

/** Hours, minutes and seconds as clocks show them. @param {number} seconds */
export function asClock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (!parts[0]) parts.shift();
  return parts.map((part, nth) => (nth ? String(part).padStart(2, "0") : String(part))).join(":");
}

export function showClock() {
  const { clock } = now.state;
  if (clock) hearTime(clock.now);
  tick();
}

/** Show what is left, and again a second later. */
function tick() {
  clearTimeout(next);
  const { clock, your_turn } = now.state;
  const line = at("clock");
  line.hidden = !clock || clock.deadline === null || isEarlier();
  if (!clock || clock.deadline === null) return;
  const left = clock.deadline - serverTime();
  line.textContent = asClock(left);
  line.setAttribute("aria-label", say("time-left", { time: asClock(left) }));
  line.classList.toggle("short", left <= TOLD_AT[0]);
  if (your_turn) tellShort(left, clock.deadline);
  if (left > 0) next = setTimeout(tick, 1000 * (left % 1) + 20);
}

/**
 * Tell who listens that there is little time left.
 * @param {number} left
 * @param {number} deadline
 */
function tellShort(left, deadline) {
  const mark = TOLD_AT.filter((seconds) => left <= seconds && left > 0).at(-1);
  if (mark === undefined || told === `${deadline} ${mark}`) return;
  told = `${deadline} ${mark}`;
  const line = document.createElement("p");
  line.textContent = say("time-short", { n: mark });
  at("spoken").append(line);
}
