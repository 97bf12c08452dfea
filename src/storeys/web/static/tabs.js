// The panels of a small screen: one at a time, behind tabs.

import { pairsOf } from "./areas.js";
import { isAboutScores, letKeysScroll } from "./board.js";
import { at, make } from "./dom.js";
import { active, FINGER, now, views, wide } from "./now.js";
import { say } from "./texts.js";

let tab = "";
/** @typedef {import("./areas.js").AreaView} AreaView */

/** For which step of which state a tab and its width were chosen; none while nothing can be picked. */
let chosenFor = "";
let fittedFor = "";
/** How high the panels are for which size of the window: high enough for all that can be picked in one. */
const tray = { size: "", height: 0 };

const TITLE = 26; // of a panel, in its drawing: where there are tabs these say it
const LOWEST = 208; // pixels

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
  cancelAnimationFrame(scrolling);
  scrolling = requestAnimationFrame(letKeysScroll); // the browser lays out then anyway
}

let scrolling = 0;

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
  const step = open.length ? `${state.seq} ${state.viewer} ${picking.steps.length}` : "";
  const fixed = picking.steps.length && picking.current();
  const leave = !picking.steps.length || !open.includes(tab);
  if (step && step !== chosenFor && leave && !fixed) tab = mainPanel(open);
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

/** On a small screen panels are as large as fits, and what can be picked is large enough for a finger. */
export function fitPanels() {
  const panels = [...views.values()].filter(({ area }) => area.kind === "panel" && !isAboutScores(area));
  const room = wide.matches ? 0 : at("panels").clientWidth;
  if (!room) return unfitPanels(panels);
  const low = panels.map((view) => ({ view, bottom: lowest(view) }));
  raiseTray(Math.max(...low.map(({ view, bottom }) => ((bottom - TITLE) * room) / view.area.width)));
  const high = at("panels").clientHeight - 6;
  for (const { view, bottom } of low) {
    const width = Math.min(room, 560, (high / (bottom - TITLE)) * view.area.width);
    fitPanel(view, room, width);
  }
}

/** @param {AreaView[]} panels */
function unfitPanels(panels) {
  for (const { svg } of panels) for (const name of ["width", "margin-top"]) svg.style.removeProperty(name);
  document.body.style.removeProperty("--tray");
}

/** How far down in a panel something can be picked, now or later. @param {AreaView} view */
const lowest = (view) =>
  Math.max(TITLE + 1, ...view.elements().map((one) => view.boxOf(one)).map((box) => box.y + box.height));

/** Let the panels have so many pixels, and never less again at this size of the window. @param {number} needed */
function raiseTray(needed) {
  const size = `${innerWidth} ${innerHeight}`;
  const before = tray.size === size ? tray.height : LOWEST;
  const height = Math.max(before, Math.min(needed + 8, 0.4 * innerHeight));
  Object.assign(tray, { size, height });
  const tall = `${Math.ceil(height)}px`;
  if (document.body.style.getPropertyValue("--tray") !== tall) document.body.style.setProperty("--tray", tall);
}

/**
 * @param {AreaView} view
 * @param {number} room
 * @param {number} width
 */
function fitPanel(view, room, width) {
  const targets = view.elements().filter((one) => one.matches(".can, .may"));
  const boxes = targets.map((one) => view.boxOf(one)).filter((box) => box.width > 0);
  const pixels = width / view.area.width;
  const small = Math.min(...boxes.map((box) => Math.min(box.width, box.height))) * pixels;
  const factor = boxes.length && now.byFinger ? Math.max(FINGER / small, 1) : 1;
  view.svg.style.width = `${Math.ceil(width * factor)}px`;
  view.svg.style.marginTop = `${-TITLE * pixels * factor}px`;
  if (view.area.name !== tab || fittedFor === `${chosenFor} ${tab}`) return;
  fittedFor = `${chosenFor} ${tab}`;
  if (boxes.length) showTargets(boxes, pixels * factor, room);
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
  panels.scrollTop = bottom - TITLE * pixels > panels.clientHeight ? Math.max(top - TITLE * pixels - 10, 0) : 0;
}
