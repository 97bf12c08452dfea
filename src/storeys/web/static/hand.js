// Picking in the page: what is lit, the ghost of what is picked, and the bar that confirms it.

import { badgeBeside, frame, ghost, line, pairsOf, unframe, unionOf } from "./areas.js";
import { goTo, heard, send } from "./asking.js";
import { setView, showNeeded, showZoom } from "./board.js";
import { at } from "./dom.js";
import { showLesson } from "./lesson.js";
import { arrive } from "./motion.js";
import { active, elements, FINGER, isOwn, isPast, isSeen, look, looksElsewhere, now, views } from "./now.js";
import { light } from "./points.js";
import { isMeant, stepWords } from "./steps.js";
import { showTabs } from "./tabs.js";
import { showsTime } from "./time.js";
import { explain } from "./tips.js";

/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./areas.js").AreaView} AreaView */

const PUT_DOWN = ["tile", "piece", "block"]; // keys of what is put on a place, seen as a ghost
const STANDINGS = ["can", "may", "picked", "implied", "no"];
const FRAMED = ["can", "picked", "implied"];

// --- showing

/** Light up what can be picked, and show the ghost and the actions of what is. */
export function showPicks() {
  const on = active();
  document.body.classList.toggle("picking", on);
  for (const view of views.values()) view.measure();
  for (const view of views.values()) if (view.top.childElementCount) view.top.replaceChildren();
  for (const [element, view, copy] of elements()) {
    const standing = on && isOwn(view) ? now.picking.standingOf(pairsOf(element), copy) : "no";
    mark(element, view, standing);
  }
  showNeeded();
  showActions();
  showZoom();
  if (on && now.picking.steps.length) showNotes();
  showGhost();
  showLesson();
}

/** What each pick would bring; after the board has come closer, so that all of them are seen. */
function showNotes() {
  const left = now.picking.left();
  if (!left.some((choice) => choice.note || choice.preview)) return;
  for (const view of views.values()) {
    const lit = view.elements().filter((one) => one.matches(".can"));
    const said = groupsOf(lit.map((one) => [noteIn(view, one), view.boxOf(one)]));
    /** What no words may hide. @type {DOMRect[]} */
    const taken = [...said.keys()].some((words) => words.includes("\n")) ? lit.map((one) => view.boxOf(one)) : [];
    for (const [words, boxes] of said) {
      // What takes a line of its own is said once of several things.
      const places = words.includes("\n") ? [unionOf(boxes)] : boxes;
      for (const box of places) view.top.append(badgeBeside(words, box, view, taken));
    }
  }
}

/**
 * Where what is said.
 * @param {[string, DOMRect][]} notes
 */
function groupsOf(notes) {
  /** @type {Map<string, DOMRect[]>} */
  const groups = new Map();
  for (const [words, box] of notes) if (words) groups.set(words, [...(groups.get(words) ?? []), box]);
  return groups;
}

/**
 * Things in a panel lie close together: the bar says the rest once one is picked.
 * @param {AreaView} view
 * @param {SVGGraphicsElement} element
 */
const noteIn = ({ area }, element) => (area.kind === "panel" ? noteOf(element).replace(/\n[^]*/, "…") : noteOf(element));

/**
 * @param {SVGGraphicsElement} element
 * @param {AreaView} view
 * @param {string} standing
 */
function mark(element, view, standing) {
  if (!element.classList.contains(standing)) change(element, standing);
  if (FRAMED.includes(standing)) frame(element, view, look.view === "skyline" && view.area.kind === "city");
  else unframe(element);
}

/**
 * @param {SVGGraphicsElement} element
 * @param {string} standing
 */
function change(element, standing) {
  for (const name of STANDINGS) element.classList.toggle(name, standing === name);
  const open = standing !== "no";
  element.setAttribute("tabindex", open ? "0" : "-1");
  element.setAttribute("aria-disabled", String(!open));
  if (standing === "picked") element.setAttribute("aria-pressed", "true");
  else element.removeAttribute("aria-pressed");
}

/**
 * What a pick would bring, when it leaves one choice.
 * @param {SVGGraphicsElement} element
 */
function noteOf(element) {
  const after = now.picking.leftWith(pairsOf(element));
  return after.length === 1 ? after[0].preview?.badge.join("\n") || (after[0].note ?? "") : "";
}

/**
 * The elements of the picks that are fixed now, by key.
 * @param {Choice} current
 */
function fixedElements(current) {
  /** @type {Map<string, [SVGGraphicsElement, AreaView]>} */
  const found = new Map();
  for (const [element, view, copy] of elements()) {
    if (!isOwn(view) || !now.picking.isMeant(pairsOf(element), copy)) continue;
    for (const [key, value] of pairsOf(element)) {
      if (current.picks[key] === value && !found.has(key)) found.set(key, [element, view]);
    }
  }
  return found;
}

function showGhost() {
  for (const [element] of elements()) {
    if (!element.hasAttribute("data-turned")) continue;
    element.removeAttribute("transform");
    element.removeAttribute("data-turned");
  }
  if (!active()) return;
  const current = now.picking.current();
  if (!current) {
    if (now.picking.hasTurns()) turnPicked();
    return;
  }
  const fixed = fixedElements(current);
  const thing = PUT_DOWN.map((key) => fixed.get(key)).find((one) => one?.[1].area.kind === "panel");
  const place = [...fixed.values()].find(([, view]) => view.area.kind === "city");
  const [one, two] = [fixed.get("from"), fixed.get("to")];
  if (thing && place) showThing(thing[0], place, current);
  else if (one && two) line(one[0], two[0], one[1], current.note ?? "");
}

/** What was put where last, so that it travels there once. */
let put = "";

/**
 * The ghost of what is picked travels from where it lies to its place.
 * @param {SVGGraphicsElement} thing
 * @param {[SVGGraphicsElement, AreaView]} place
 * @param {Choice} current
 */
function showThing(thing, [place, view], current) {
  const copy = ghost(thing, place, view, Number(current.picks.turn ?? 0), current.preview?.becomes);
  const where = JSON.stringify([now.state.seq, pairsOf(thing), pairsOf(place)]);
  if (put !== where) view.atRest(() => arrive(copy, thing.getBoundingClientRect()));
  put = where;
}

/** What is picked but has no place yet turns where it lies. */
function turnPicked() {
  for (const [element, view] of elements()) {
    if (!element.classList.contains("picked") || element.hasAttribute("transform")) continue;
    if (!pairsOf(element).some(([key]) => PUT_DOWN.includes(key)) || now.picking.turn === "0") continue;
    const { x: left, y: top, width, height } = view.boxesOf(element).drawn;
    const [x, y] = [left + width / 2, top + height / 2];
    element.setAttribute("transform", `rotate(${90 * Number(now.picking.turn)} ${x} ${y})`);
    element.setAttribute("data-turned", "");
  }
}

export function showActions() {
  const current = active() ? now.picking.current() : null;
  const some = active() && now.picking.steps.length > 0;
  const bar = at("actions");
  bar.hidden = showsTime();
  at("confirm").hidden = !now.state.mine.length || now.state.status !== "playing";
  if (bar.hidden) return;
  const words = current ? sentence(current) : !active() ? "" : some ? goOnWords() : stepWords(false);
  if (at("choice").textContent !== words) at("choice").textContent = words;
  // Not shut: who comes to it by keyboard is told what is missing.
  at("confirm").setAttribute("aria-disabled", String(!now.picking.accepts(current) || now.busy));
  at("turn").hidden = !active() || !(current ? now.picking.canTurn() : now.picking.hasTurns() && someTurns());
  at("cancel").hidden = !some;
}

/** What was picked last, where its drawing has a title because it cannot say so itself; and to go on. */
function goOnWords() {
  const last = JSON.stringify(now.picking.steps.at(-1));
  const [element] = elements().find(([one]) => JSON.stringify(pairsOf(one)) === last) ?? [];
  const title = element?.querySelector("title")?.textContent;
  return title ? `${title.charAt(0).toUpperCase()}${title.slice(1)}. ${stepWords(true)}` : stepWords(true);
}

const someTurns = () => new Set(now.picking.left().map(({ picks }) => picks.turn)).size > 1;

/** @param {Choice} choice */
function sentence(choice) {
  const label = choice.label.charAt(0).toUpperCase() + choice.label.slice(1);
  const more = choice.preview?.words || choice.note;
  return more ? `${label} · ${more}` : label;
}

// --- doing

/**
 * A click into an area means the nearest thing that can be picked, so that small ones are not missed.
 * @param {MouseEvent} event
 * @param {AreaView} view
 */
export function click(event, view) {
  if (!active()) return heard.missed();
  const direct = /** @type {SVGGraphicsElement | null} */ (
    /** @type {Element} */ (event.target).closest("[role=button]")
  );
  const meant = direct?.matches(".can, .picked, .may, .implied") ? direct : nearest(event, view);
  if (!meant) return heard.missed();
  event.stopPropagation();
  pick(meant);
}

/**
 * @param {MouseEvent} event
 * @param {AreaView} view
 */
function nearest(event, view) {
  /** @type {SVGGraphicsElement | null} */
  let best = null;
  let least = Infinity;
  for (const one of view.elements()) {
    if (!one.matches(".can, .may, .picked")) continue;
    const box = one.getBoundingClientRect();
    const away = Math.hypot(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    const reach = Math.max(FINGER / 2, Math.hypot(box.width, box.height) / 2) + 4;
    if (away < reach && away < least) [best, least] = [one, away];
  }
  return best;
}

/** @param {SVGGraphicsElement} element */
export function pick(element) {
  const copy = elements().find(([one]) => one === element)?.[2] ?? 0;
  if (now.busy || !now.picking.pick(pairsOf(element), copy)) return;
  if (looksElsewhere()) {
    now.shown = null; // the places are in one's own city
    heard.redraw();
  }
  if (needsPlan()) {
    now.backToSkyline = true;
    setView("plan");
  } else picked();
}

/** Whether what is to be picked next cannot be seen from the air. */
function needsPlan() {
  if (look.view !== "skyline" || !now.picking.steps.length) return false;
  const current = now.picking.current();
  if (current) return !isWhollySeen(current);
  return !elements().some(
    ([one, view]) =>
      isOwn(view) && !now.picking.isPicked(pairsOf(one)) && now.picking.standing(pairsOf(one)) === "can",
  );
}

/** Whether everything that a choice needs can be seen, not its place alone. @param {Choice} choice */
function isWhollySeen({ picks }) {
  const seen = new Set(
    elements().flatMap(([one, view]) => (isOwn(view) ? pairsOf(one).map((pair) => pair.join("=")) : [])),
  );
  return Object.entries(picks).every(([key, value]) => key === "turn" || seen.has(`${key}=${value}`));
}

/** After a pick: show it, go where the next one is. */
function picked() {
  showPicks();
  showTabs();
  if (!now.byKeyboard) return;
  const focused = document.activeElement;
  if (focused instanceof SVGElement && focused.matches(".picked, .implied") && !now.picking.current()) focusNext();
}

function focusNext() {
  elements().find(([one]) => one.matches(".can") && isSeen(one))?.[0].focus();
}

/** After a move by keyboard the next thing to pick has the focus. */
export function refocus() {
  if (!now.byKeyboard || !active()) return;
  const focused = document.activeElement;
  if (focused && focused !== document.body && !focused.closest(".actions")) return;
  focusNext();
}

/** @param {number} by */
export function turn(by) {
  if (active() && now.picking.cycle(by)) showPicks();
}

export function cancel() {
  if (now.picking.widen()) picked();
  else if (look.part) light(null);
  else if (isPast()) goTo(null);
}

function tellWhatIsMissing() {
  heard.missed();
  if (at("confirm").checkVisibility()) explain(at("confirm"));
}

export async function confirm() {
  const choice = active() ? now.picking.current() : null;
  if (now.busy || now.state.to_move === null) return;
  if (!choice || !now.picking.accepts(choice)) return tellWhatIsMissing();
  if (!(await isMeant(choice)) || now.busy || !active()) return;
  await send({ kind: "move", seat: now.state.to_move, move: choice.move });
}
