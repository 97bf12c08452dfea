// The whole match by keyboard.

import { pairsOf } from "./areas.js";
import { setView, turnSkyline } from "./board.js";
import { openDialog } from "./dialogs.js";
import { at } from "./dom.js";
import { cancel, confirm, pick, turn } from "./hand.js";
import { takeBack } from "./menu.js";
import { active, curtained, elements, isSeen, look, now } from "./now.js";
import { skipScene } from "./scene.js";
import { nextTab, openTab, panelOf } from "./tabs.js";
import { step } from "./time.js";

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {Record<string, () => void>} */
const LETTERS = {
  r: () => turn(1),
  R: () => turn(-1),
  Escape: () => (now.scene ? skipScene() : cancel()),
  u: takeBack,
  s: () => setView(look.view === "plan" ? "skyline" : "plan"),
  "[": () => turnSkyline(-1),
  "]": () => turnSkyline(1),
  l: goToLog,
  "<": () => step(-1),
  ">": () => step(1),
  "?": () => openDialog("keys"),
};

/** @param {KeyboardEvent} event */
export function key(event) {
  now.byKeyboard = true;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]") || curtained()) return;
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.matches("input[type=text], textarea, select")) return;
  if (act(event.key, target)) event.preventDefault();
}

/**
 * @param {string} pressed
 * @param {HTMLElement} target
 * @returns {boolean} whether the key was ours
 */
function act(pressed, target) {
  const arrow = ARROWS[pressed];
  if (arrow) return goBy(arrow, target);
  const inPicture = target instanceof SVGElement && pairsOf(target).length > 0;
  if (pressed === "Enter" && target.matches("button, a, input, summary")) return false;
  if (pressed === "Enter" && !(inPicture && target.matches(".can, .may"))) confirm();
  else if (pressed === "Enter" || (pressed === " " && inPicture)) pick(/** @type {any} */ (target));
  else if (LETTERS[pressed]) LETTERS[pressed]();
  else return false;
  return true;
}

/**
 * @param {[number, number]} arrow
 * @param {HTMLElement} target
 */
function goBy(arrow, target) {
  if (target.id === "scrubber") return false;
  if (target.matches("[role=tab]")) return nextTab(target, arrow[0]);
  if (active()) return goToNext(arrow);
  if (at("timeline").hidden || !arrow[0]) return false;
  step(arrow[0]);
  return true;
}

/**
 * Go to the nearest thing in a direction.
 * @param {[number, number]} direction
 */
function goToNext(direction) {
  const all = elements()
    .map(([one]) => one)
    .filter((one) => one.matches(".can, .may, .picked") && isSeen(one));
  if (!all.length) return false;
  const focused = document.activeElement;
  const inPicture = focused instanceof SVGGraphicsElement && pairsOf(focused).length > 0;
  const next = inPicture ? nearestFrom(focused, all, direction) : (all.find((one) => one.matches(".can")) ?? all[0]);
  next?.focus();
  return true;
}

/** @param {Element} element */
function middleOf(element) {
  const box = element.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/**
 * @param {Element} from
 * @param {SVGGraphicsElement[]} all
 * @param {[number, number]} direction
 */
function nearestFrom(from, all, [dx, dy]) {
  const [x, y] = middleOf(from);
  /** @type {SVGGraphicsElement | null} */
  let best = null;
  let least = Infinity;
  for (const one of all) {
    const [a, b] = middleOf(one);
    const along = (a - x) * dx + (b - y) * dy;
    const aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
    if (one === from || along < 4) continue;
    const cost = along + 2.5 * aside;
    if (cost < least) [best, least] = [one, cost];
  }
  return best;
}

function goToLog() {
  openTab("log");
  /** @type {HTMLElement | null} */ (at("log").querySelector("li:last-child button"))?.focus();
  panelOf("log").scrollIntoView({ block: "nearest" });
}
