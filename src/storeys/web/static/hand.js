// Picking in the page: what is lit, the ghost of what is picked, and the bar that confirms it.

import { badge, frame, ghost, line, pairsOf, unframe } from "./areas.js";
import { goTo, heard, send } from "./asking.js";
import { setView, showZoom } from "./board.js";
import { at } from "./dom.js";
import { active, elements, FINGER, isOwn, isPast, isSeen, look, now, views } from "./now.js";
import { light } from "./points.js";
import { showTabs } from "./tabs.js";
import { say } from "./texts.js";

/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./areas.js").AreaView} AreaView */

const PUT_DOWN = ["tile", "piece", "block"]; // keys of what is put on a place, seen as a ghost
const STANDINGS = ["can", "may", "picked", "implied", "no"];

// --- showing

/** Light up what can be picked, and show the ghost and the actions of what is. */
export function showPicks() {
  const on = active();
  document.body.classList.toggle("picking", on);
  for (const view of views.values()) view.top.replaceChildren();
  let inCities = false;
  for (const [element, view, copy] of elements()) {
    const standing = on && isOwn(view) ? now.picking.standingOf(pairsOf(element), copy) : "no";
    inCities ||= standing !== "no" && view.area.kind === "city";
    mark(element, standing);
  }
  // Where nothing in a city can be picked, the panels may take more of a small screen.
  document.body.classList.toggle("by-hand", on && !inCities);
  showActions(); // before the board comes closer: the bar takes room from it
  showZoom();
  if (on && now.picking.steps.length) showNotes();
  showGhost();
}

/** What each pick would bring; after the board has come closer, so that all of them are seen. */
function showNotes() {
  const left = now.picking.left();
  if (!left.some((choice) => choice.note)) return;
  for (const [element, view] of elements()) if (element.matches(".can")) note(element, view);
}

/**
 * @param {SVGGraphicsElement} element
 * @param {string} standing
 */
function mark(element, standing) {
  for (const name of STANDINGS) element.classList.toggle(name, standing === name);
  const open = standing !== "no";
  element.setAttribute("tabindex", open ? "0" : "-1");
  element.setAttribute("aria-disabled", String(!open));
  if (standing === "picked") element.setAttribute("aria-pressed", "true");
  else element.removeAttribute("aria-pressed");
  if (["can", "picked", "implied"].includes(standing)) frame(element);
  else unframe(element);
}

/**
 * What a pick would bring, beside the element, when it leaves one choice.
 * @param {SVGGraphicsElement} element
 * @param {AreaView} view
 */
function note(element, view) {
  const after = now.picking.left([...now.picking.steps, pairsOf(element)]);
  if (after.length !== 1 || !after[0].note) return;
  const box = view.boxOf(element);
  view.top.append(badge(after[0].note, box.x + box.width - 4, box.y + 4, view));
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
  if (thing && place) ghost(thing[0], place[0], place[1], Number(current.picks.turn ?? 0));
  else if (one && two) line(one[0], two[0], one[1], current.note ?? "");
}

/** What is picked but has no place yet turns where it lies. */
function turnPicked() {
  for (const [element] of elements()) {
    if (!element.classList.contains("picked") || element.hasAttribute("transform")) continue;
    if (!pairsOf(element).some(([key]) => PUT_DOWN.includes(key)) || now.picking.turn === "0") continue;
    unframe(element);
    const box = element.getBBox();
    frame(element);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    element.setAttribute("transform", `rotate(${90 * Number(now.picking.turn)} ${x} ${y})`);
    element.setAttribute("data-turned", "");
  }
}

export function showActions() {
  const current = active() ? now.picking.current() : null;
  const some = active() && now.picking.steps.length > 0;
  const bar = at("actions");
  bar.hidden = !active(); // all through the turn, so that nothing moves under the finger
  document.body.classList.toggle("acting", !bar.hidden);
  if (bar.hidden) return;
  const words = current ? sentence(current) : say(some ? "go-on" : "pick-lit");
  if (at("choice").textContent !== words) at("choice").textContent = words;
  /** @type {HTMLButtonElement} */ (at("confirm")).disabled = !current || now.busy;
  at("turn").hidden = !(current ? now.picking.canTurn() : now.picking.hasTurns() && someTurns());
  at("cancel").hidden = !some;
}

const someTurns = () => new Set(now.picking.left().map(({ picks }) => picks.turn)).size > 1;

/** @param {Choice} choice */
function sentence(choice) {
  const label = choice.label.charAt(0).toUpperCase() + choice.label.slice(1);
  return choice.note ? `${label} · ${choice.note}` : label;
}

// --- doing

/**
 * A click into an area means the nearest thing that can be picked, so that small ones are not missed.
 * @param {MouseEvent} event
 * @param {AreaView} view
 */
export function click(event, view) {
  if (!active()) return;
  const direct = /** @type {SVGGraphicsElement | null} */ (
    /** @type {Element} */ (event.target).closest("[role=button]")
  );
  const meant = direct?.matches(".can, .picked, .may, .implied") ? direct : nearest(event, view);
  if (!meant) return;
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
  if (now.shown !== null) {
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
  if (focused && focused !== document.body && !(focused.closest(".actions") && at("actions").hidden)) return;
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

export async function confirm() {
  const choice = active() ? now.picking.current() : null;
  if (!choice || now.busy || now.state.to_move === null) return;
  await send({ kind: "move", seat: now.state.to_move, move: choice.move });
}
