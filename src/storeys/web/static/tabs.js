// The panels of a small screen: one at a time, behind tabs.

import { pairsOf } from "./areas.js";
import { isAboutScores, letKeysScroll } from "./board.js";
import { at, make } from "./dom.js";
import { active, FINGER, now, views, wide } from "./now.js";
import { say } from "./texts.js";

let tab = "";
/** For which step of which state a tab and its width were chosen. */
let chosenFor = "";
let fittedFor = "";

function panelNames() {
  return /** @type {HTMLElement[]} */ ([...at("panels").querySelectorAll("[data-panel]")]).map(
    (one) => one.dataset.panel ?? "",
  );
}

/** @param {string} name */
export const panelOf = (name) => at(`panel-${name}`);

/** The panels that have something to pick. */
const openPanels = () => panelNames().filter((name) => panelOf(name).querySelector(".can"));

export function showTabs() {
  const names = panelNames();
  const open = active() ? openPanels() : [];
  chooseTab(names, open);
  const focused = document.activeElement?.closest("[role=tab]")?.getAttribute("data-tab");
  at("tabs").replaceChildren(...names.map((name) => tabButton(name, open.includes(name))));
  if (focused) focusTab(focused);
  for (const name of names) panelOf(name).classList.toggle("open", name === tab);
  fitPanels();
  letKeysScroll();
}

/**
 * How many picks the longest choice takes that needs something of a panel.
 * @param {string} name
 */
function depthOf(name) {
  const pairs = new Set(
    [...panelOf(name).querySelectorAll(".can")].flatMap((one) => pairsOf(one).map((pair) => pair.join("="))),
  );
  const picks = now.picking.left().map((choice) => Object.entries(choice.picks).map((pair) => pair.join("=")));
  return Math.max(0, ...picks.filter((all) => all.some((pair) => pairs.has(pair))).map((all) => all.length));
}

/**
 * The panel to begin with: what is put somewhere before what is only taken, the tab of before if alike.
 * @param {string[]} open
 */
function mainPanel(open) {
  const [first] = [...open].sort((a, b) => depthOf(b) - depthOf(a) || Number(b === tab) - Number(a === tab));
  return first;
}

/**
 * Go to what is to be picked; within a turn, not away from a tab that has something too.
 * @param {string[]} names
 * @param {string[]} open
 */
function chooseTab(names, open) {
  const { state, picking } = now;
  if (!names.includes(tab)) tab = names[0] ?? "";
  const step = `${state.seq} ${state.viewer} ${picking.steps.length}`;
  const fixed = picking.steps.length && picking.current();
  const leave = !picking.steps.length || !open.includes(tab);
  if (step !== chosenFor && open.length && leave && !fixed) tab = mainPanel(open);
  chosenFor = step;
}

/**
 * @param {string} name
 * @param {boolean} lit
 */
function tabButton(name, lit) {
  const area = now.state.areas.find((one) => one.name === name && one.kind === "panel");
  return make(
    "button",
    {
      type: "button",
      role: "tab",
      "data-tab": name,
      class: lit ? "lit" : "",
      "aria-selected": tab === name,
      "aria-controls": `panel-${name}`,
      onclick: () => openTab(name),
    },
    area ? area.title : say(name),
  );
}

/** @param {string} name */
function focusTab(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-tab="${name}"]`))?.focus();
}

/** @param {string} name */
export function openTab(name) {
  if (name !== tab) at("panels").scrollTop = 0;
  tab = name;
  showTabs();
  if (name === "log") scrollToNewest();
}

/** The newest entry of the log is its last; on a small screen all panels scroll together. */
export function scrollToNewest() {
  const scroller = logScroller();
  scroller.scrollTop = scroller.scrollHeight;
}

/** What has to be scrolled to read the log. */
export const logScroller = () => at(wide.matches ? "log" : "panels");

/** Whether the log is there to be read. */
export const showsLog = () => wide.matches || tab === "log";

/**
 * @param {Element} from
 * @param {number} by
 */
export function nextTab(from, by) {
  if (!by) return false;
  const names = panelNames();
  const next = names[(names.indexOf(from.getAttribute("data-tab") ?? "") + by + names.length) % names.length];
  openTab(next);
  focusTab(next);
  return true;
}

/** On a small screen a panel grows until what can be picked is large enough for a finger. */
export function fitPanels() {
  for (const view of views.values()) {
    if (view.area.kind !== "panel") continue;
    const room = at("panels").clientWidth;
    if (wide.matches || !room || isAboutScores(view.area)) {
      view.svg.style.removeProperty("width");
      continue;
    }
    const targets = view.elements().filter((one) => one.matches(".can, .may, .picked"));
    const boxes = targets.map((one) => view.boxOf(one)).filter((box) => box.width > 0);
    const width = Math.min(room, 560);
    const pixels = width / view.area.width;
    const small = Math.min(...boxes.map((box) => Math.min(box.width, box.height))) * pixels;
    const factor = boxes.length ? Math.max(FINGER / small, 1) : 1;
    view.svg.style.width = `${Math.ceil(width * factor)}px`;
    if (view.area.name !== tab || fittedFor === `${chosenFor} ${tab}`) continue;
    fittedFor = `${chosenFor} ${tab}`;
    if (boxes.length) showTargets(boxes, pixels * factor, room);
  }
}

/**
 * Scroll a panel that is wider than the screen to what can be picked.
 * @param {DOMRect[]} boxes
 * @param {number} pixels
 * @param {number} room
 */
function showTargets(boxes, pixels, room) {
  const left = (Math.min(...boxes.map((box) => box.x)) - 12) * pixels;
  const end = (Math.max(...boxes.map((box) => box.x + box.width)) + 12) * pixels;
  const top = Math.min(...boxes.map((box) => box.y)) * pixels;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) * pixels;
  const panels = at("panels");
  panels.scrollLeft = end > room ? Math.min(left, end - room) : 0;
  panels.scrollTop = bottom > panels.clientHeight ? Math.max(top - 36, 0) : 0;
}
