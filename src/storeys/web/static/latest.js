// What the others did last: marked on the board until one's own turn ends, and in words above it.

import { unionOf } from "./areas.js";
import { goTo } from "./asking.js";
import { at, icon, keep, kept, make } from "./dom.js";
import { curtained, hasCities, isEarlier, now, ownSeat, plySeen, views, wide } from "./now.js";
import { disc } from "./scores.js";
import { figure, say } from "./texts.js";

/** @typedef {import("./types.js").LogEntry} LogEntry */
/** @typedef {import("./areas.js").AreaView} AreaView */
/** @typedef {{seat: number, entries: LogEntry[]}} Turn moves of one seat after another */

const SVG = "http://www.w3.org/2000/svg";
const MOST = 8; // turns in the strip

// --- turns

/**
 * The moves up to one, as turns.
 * @param {number} ply
 */
function turnsUntil(ply) {
  /** @type {Turn[]} */
  const turns = [];
  for (const entry of now.state.log) {
    if (entry.ply > ply) break;
    const last = turns.at(-1);
    if (last?.seat === entry.seat) last.entries.push(entry);
    else turns.push({ seat: entry.seat, entries: [entry] });
  }
  return turns;
}

/**
 * Which turn is the last of a seat; -1: none.
 * @param {Turn[]} turns
 * @param {number} seat
 */
const lastOf = (turns, seat) => turns.map((turn) => turn.seat).lastIndexOf(seat);

/**
 * The last turn of each of the others since one's own; who only looks sees that of everybody.
 * @param {number} ply
 */
export function lastTurns(ply) {
  const turns = turnsUntil(ply);
  const me = ownSeat();
  // One's own turn that is not over yet ends nothing.
  if (turns.at(-1)?.seat === me && now.state.to_move === me) turns.pop();
  const since = me === null ? turns : turns.slice(lastOf(turns, me) + 1);
  return since.filter(({ seat }, nth) => !since.slice(nth + 1).some((later) => later.seat === seat));
}

/** The move after which the others' turns since one's own begin, and how many moves they made; null if none. */
export function sinceOwn() {
  const me = ownSeat();
  if (me === null || !["playing", "over"].includes(now.state.status)) return null;
  const turns = turnsUntil(now.state.last_ply);
  if (turns.at(-1)?.seat === me && now.state.to_move === me) turns.pop();
  const own = lastOf(turns, me);
  if (own === turns.length - 1) return null;
  const moves = turns.slice(own + 1).reduce((sum, { entries }) => sum + entries.length, 0);
  return { from: own < 0 ? 0 : (turns[own].entries.at(-1)?.ply ?? 0), moves };
}

// --- on the board

/** Mark what the others put on the board last, and measure what can be picked: all before anything is drawn. */
export function markLast() {
  for (const view of views.values()) view.measure();
  const turns = now.state.moment || curtained() ? [] : lastTurns(plySeen());
  const found = [...views.values()].map((view) => ({ view, places: placesIn(view, turns) }));
  for (const { view, places } of found) {
    const marks = marksOf(view);
    if (marks.childElementCount) marks.replaceChildren();
    for (const [box, seat] of places) markPiece(marks, box, seat);
  }
}

/**
 * Where pieces of turns are in a city, and whose they are.
 * @param {AreaView} view
 * @param {Turn[]} turns
 * @returns {[DOMRect, number][]}
 */
function placesIn(view, turns) {
  if (view.area.kind !== "city") return [];
  return turns.flatMap(({ seat, entries }) => {
    const names = new Set(entries.flatMap(({ pieces }) => pieces));
    const boxes = [...names].map((name) => boxOfPiece(view, name));
    return boxes.flatMap((box) => (box ? [/** @type {[DOMRect, number]} */ ([box, seat])] : []));
  });
}

/**
 * @param {AreaView} view
 * @param {string} name
 */
function boxOfPiece(view, name) {
  const found = /** @type {SVGGraphicsElement[]} */ ([...view.body.querySelectorAll(`[data-piece="${CSS.escape(name)}"]`)]);
  const boxes = found.map((one) => view.boxOf(one)).filter(({ width, height }) => width > 0 || height > 0);
  if (!boxes.length) return null;
  return unionOf(boxes);
}

/** @param {AreaView} view */
function marksOf(view) {
  const known = view.svg.querySelector(":scope > .last-moves");
  if (known) return known;
  const made = document.createElementNS(SVG, "g");
  made.setAttribute("class", "last-moves");
  made.setAttribute("aria-hidden", "true");
  view.svg.insertBefore(made, view.top);
  return made;
}

/**
 * A frame around a piece in a plan, and the number of who put it there.
 * @param {Element} marks
 * @param {DOMRect} box
 * @param {number} seat
 */
function markPiece(marks, { left, top, right, bottom }, seat) {
  if (now.state.view !== "skyline") {
    const place = { x: left - 2, y: top - 2, width: right - left + 4, height: bottom - top + 4, rx: 6 };
    marks.append(shape("rect", { ...place, class: "casing" }), shape("rect", { ...place, class: "frame" }));
  }
  const sign = shape("g", { transform: `translate(${left} ${now.state.view === "skyline" ? (top + bottom) / 2 : top})` });
  const word = shape("text", { y: 4, "text-anchor": "middle" });
  word.textContent = String(seat + 1);
  sign.append(shape("circle", { r: 9 }), word);
  marks.append(sign);
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

// --- in words

/** The latest turns, the newest first; a click shows the moment after one.  The strip keeps its place before the first. */
export function showLatest() {
  const turns = turnsUntil(now.state.last_ply).slice(-MOST).reverse();
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.closest("#latest-turns [data-ply]");
  const rows = turns.length ? turns.map(turnButton) : [make("span", { class: "quiet" }, say("no-moves"))];
  at("latest-turns").replaceChildren(...rows.map((row) => make("li", {}, row)));
  const again = focused && at("latest-turns").querySelector(`[data-ply="${focused.getAttribute("data-ply")}"]`);
  if (again) /** @type {HTMLElement} */ (again).focus();
  showSince();
}

/**
 * Look at the moment after a turn; after the latest it is now, so that city is looked at where others have no room.
 * @param {number} seat
 * @param {number} ply
 */
function lookAt(seat, ply) {
  now.shown = ply === now.state.last_ply && !wide.matches && hasCities() ? seat : null;
  return goTo(ply);
}

/** @param {Turn} turn */
function turnButton({ seat, entries }) {
  const ply = entries.at(-1)?.ply ?? 0;
  const seen = isEarlier() && entries.some((entry) => entry.ply === plySeen());
  return make(
    "button",
    { type: "button", class: "turn-words", "data-ply": ply, "aria-current": seen ? "true" : null, onclick: () => lookAt(seat, ply) },
    disc(seat),
    make("span", { class: "sr" }, `${now.state.seats[seat]?.name ?? ""}: `),
    make("span", { class: "words-of-turn" }, entries.map(({ text }) => text).join("; ")),
  );
}

/** The last move that this browser has seen of this table. */
const seenKey = `seen-${now.state.table}`;
const seenBefore = Number(kept(seenKey) ?? 0);

/** The button that shows what happened since one's last turn; it stands out to who was away. */
function showSince() {
  const { from, moves } = sinceOwn() ?? { from: null, moves: 0 };
  const button = at("since");
  button.hidden = !moves || !(now.state.your_turn || now.state.status === "over") || isEarlier();
  button.classList.toggle("primary", seenBefore > 0 && from !== null && seenBefore <= from);
  button.replaceChildren(icon("play"), make("span", { class: "what" }, say("since-last")), make("b", {}, figure(moves)));
  if (!document.hidden) keep(seenKey, String(now.state.last_ply));
}
