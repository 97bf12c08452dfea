// First steps: one bubble at a time beside what it speaks of, and a kind word for wrong clicks.
//
// What is said and what is waited for comes with the state, made from the moves of the table: this knows no game,
// and whoever comes back finds everything where it was.

import { heard } from "./asking.js";
import { at, forget, keep, kept } from "./dom.js";
import { pickingFor } from "./guiding.js";
import { elements, isEarlier, isSeen, now, views, wide } from "./now.js";
import { openTab } from "./tabs.js";
import { say } from "./texts.js";

/** @typedef {import("./types.js").LessonBubble} LessonBubble */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

const LEFT = "lesson-left";
const AREA = "area ";
const GAP = 12;
/** The parts of the page that bubbles may speak of. @type {Record<string, string>} */
const PARTS = { prompt: "prompt-bar", seats: "seats", board: "board", scores: "panel-scores", actions: "actions" };

/** Which bubble of which move is read. */
const reading = { ply: -1, nth: 0 };

/** Whether first steps are taken at this table, and have not been left. */
export const follows = () => Boolean(now.state.lesson) && kept(LEFT) !== now.state.table;

/** Whether they have been left, and could be gone on with. */
export const canResume = () => Boolean(now.state.lesson) && kept(LEFT) === now.state.table;

/** @returns {LessonBubble | null} */
function bubble() {
  const { lesson, ply } = now.state;
  if (!lesson || !follows() || now.scene || isEarlier()) return null;
  if (reading.ply !== ply) Object.assign(reading, { ply, nth: 0 });
  return lesson.bubbles[Math.min(reading.nth, lesson.bubbles.length - 1)] ?? null;
}

const isLast = () => reading.nth >= (now.state.lesson?.bubbles.length ?? 0) - 1;

/** Whether there is something to read before anything can be done. */
export function isReading() {
  const one = bubble();
  return one !== null && !one.asks;
}

/** Let what is waited for be picked, and nothing else. */
export function guide() {
  now.picking = pickingFor(isReading() ? { ...now.state, choices: [], lesson: null } : now.state, follows());
}

function next() {
  if (isLast()) return leave();
  reading.nth += 1;
  guide();
  heard.redraw();
}

/** Go on without being led; the match is the same. */
function leave() {
  keep(LEFT, now.state.table);
  guide();
  heard.redraw();
}

/** Be led again. */
export function resume() {
  forget(LEFT);
  reading.ply = -1;
  guide();
  heard.redraw();
}

// --- showing

/** What is lit for the eyes alone. @type {Element[]} */
let spots = [];
/** What is said, so that a bubble that stays is left as it is. */
let said = "";

export function showLesson() {
  const one = bubble();
  const card = at("lesson");
  const chooses = (now.state.lesson?.takes?.length ?? 0) > 1 && now.picking.steps.length > 0;
  const hidden = !one || chooses; // who chooses freely has read it, and needs the room
  card.hidden = hidden;
  for (const spot of spots) spot.classList.remove("spot");
  spots = [];
  if (hidden || !one) return;
  if (said !== one.text) write(one);
  spots = [...one.light.map(partOf), isAsked() ? at("confirm") : null].filter((part) => part !== null);
  for (const spot of spots) spot.classList.add("spot");
  placeSoon();
}

const SETTLES = 320; // milliseconds after which the board has come closer, and panels have their height
let frame = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Put the bubble where it belongs as soon as what is lit has its place, and again once that has come to rest. */
function placeSoon() {
  cancelAnimationFrame(frame);
  clearTimeout(timer);
  frame = requestAnimationFrame(place);
  timer = setTimeout(place, SETTLES);
}

/** @param {LessonBubble} one */
function write(one) {
  said = one.text;
  const { nth, of } = now.state.lesson ?? { nth: 0, of: 1 };
  at("lesson-words").textContent = one.text;
  at("lesson-wrong").textContent = "";
  Object.assign(at("lesson-progress"), { value: nth, max: of });
  const end = isLast() && !now.state.lesson?.takes;
  at("lesson-next").hidden = one.asks;
  at("lesson-next").textContent = say(end ? "lesson-end" : "lesson-next");
  at("lesson-leave").hidden = end;
  for (const name of one.light) if (name.startsWith(AREA) || name === "scores") openTab(name.replace(AREA, ""));
  if (now.byKeyboard && !one.asks) at("lesson-next").focus();
}

/** Whether all is picked and has to be confirmed. */
const isAsked = () => at("confirm").getAttribute("aria-disabled") === "false";

/** @param {string} name */
const partOf = (name) =>
  name.startsWith(AREA) ? (views.get(name.slice(AREA.length))?.svg ?? null) : at(PARTS[name] ?? "board");

/** A click on something that is not meant now. */
function answerKindly() {
  const one = bubble();
  if (!one || at("lesson").hidden) return;
  at("lesson-wrong").textContent = say(one.asks ? "lesson-wrong" : "lesson-read");
  const card = at("lesson");
  card.classList.remove("again");
  void card.offsetWidth; // so that the same motion begins anew
  card.classList.add("again");
}

// --- where the bubble stands

/** What must stay in sight: what is lit, or else what is spoken of. @returns {DOMRect[]} */
function targets() {
  const lit = litAs(".can");
  const all = isAsked() ? [at("confirm")] : lit.length ? lit : spots;
  return all.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0);
}

/** What is lit, and can be seen. @param {string} standing */
const litAs = (standing) => elements().flatMap(([one]) => (one.matches(standing) && isSeen(one) ? [one] : []));

/** What follows by itself from what is to be picked, and is lit too: a place for the one tile that is. @returns {DOMRect[]} */
const followers = () => litAs(".implied").map((one) => one.getBoundingClientRect());

/** What is better seen too: all that can ever be picked, what stands in cities, the words on both, and whose turn it is. @returns {DOMRect[]} */
function things() {
  const pieces = document.querySelectorAll("#cities .large [data-piece], #cities.alike [data-piece], .area .badge");
  const all = [...elements().map(([one]) => one), ...pieces, at("prompt-bar"), at("seats")].filter(isSeen);
  return all.map((one) => one.getBoundingClientRect());
}

/** Where the bubble stands; it stays as long as it covers nothing that is needed. */
let standing = { x: -1, y: -1 };

/** Beside what it speaks of, over as little as can be of what is to be picked or looked at. */
function place() {
  const card = at("lesson");
  if (card.hidden) return;
  const [marks, lit, others] = [targets(), followers(), things()];
  const { offsetWidth: width, offsetHeight: height } = card;
  const around = union(marks);
  const bar = at("actions").getBoundingClientRect();
  let best = { x: GAP, y: GAP };
  let least = Infinity;
  for (const { x, y } of [standing, ...candidates(around, width, height)]) {
    if (x < 0 || x + width > innerWidth || y + height > innerHeight) continue;
    const box = { x, y, width, height };
    const hit = hidden(box, marks) + hidden(box, [bar]);
    const away = Math.hypot(x + width / 2 - around.x - around.width / 2, y + height / 2 - around.y - around.height / 2);
    const stays = x === standing.x && y === standing.y ? STAYS : 0;
    const veils = hidden(box, lit) * VEILS + hidden(box, others) * others.length * HIDES;
    const cost = hit * COVERS + veils + away - stays;
    if (cost < least) [best, least] = [{ x, y }, cost];
  }
  standing = best;
  card.style.translate = `${Math.round(best.x)}px ${Math.round(best.y)}px`;
}

const COVERS = 5000; // pixels further away that are better than to cover what is meant
const VEILS = 1500; // the same for what is lit beside it
const HIDES = 120; // the same for each other thing that would be hidden
const STAYS = 300; // the same for a bubble that need not move

/** How much of some things a bubble would cover, on the average. @param {Box} box @param {DOMRect[]} marks */
const hidden = (box, marks) =>
  marks.reduce((sum, mark) => sum + overlap(box, mark) / (mark.width * mark.height || 1), 0) / (marks.length || 1);

/**
 * @param {Box} around
 * @param {number} width
 * @param {number} height
 */
function candidates(around, width, height) {
  const [right, bottom] = [innerWidth - width - GAP, innerHeight - height - GAP];
  const [middle, half] = [around.x + (around.width - width) / 2, around.y + (around.height - height) / 2];
  const top = wide.matches ? GAP + at("prompt-bar").getBoundingClientRect().bottom : GAP;
  const above = at("actions").getBoundingClientRect().top - height - GAP;
  const found = [
    { x: middle, y: around.y + around.height + GAP },
    { x: middle, y: around.y - height - GAP },
    { x: around.x + around.width + GAP, y: half },
    { x: around.x - width - GAP, y: half },
    ...[GAP, right / 2, right].flatMap((x) => [top, (top + bottom) / 2, above, bottom].map((y) => ({ x, y }))),
  ];
  return found.map(({ x, y }) => ({ x: Math.min(Math.max(x, GAP), right), y: Math.min(Math.max(y, top), bottom) }));
}

/** @param {Box[]} boxes @returns {Box} */
function union(boxes) {
  if (!boxes.length) return { x: innerWidth / 2, y: innerHeight / 2, width: 0, height: 0 };
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** @param {Box} a @param {Box} b */
function overlap(a, b) {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

export function listenToLesson() {
  at("lesson-next").addEventListener("click", next);
  at("lesson-leave").addEventListener("click", leave);
  window.addEventListener("resize", placeSoon);
  const moved = new ResizeObserver(placeSoon);
  for (const part of ["cities", "panels"]) moved.observe(at(part));
  heard.missed = answerKindly;
}
