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
const WIDEST = 560;

function panelNames() {
  return /** @type {HTMLElement[]} */ ([...at("panels").querySelectorAll("[data-panel]")]).map(
    (one) => one.dataset.panel ?? "",
  );
}

/** @param {string} name */
export const panelOf = (name) => at(`panel-${name}`);

/** The panels that lie behind one tab: decided once for a size of the window, as nothing is to move. @type {{key: string, groups: string[][]}} */
const together = { key: "", groups: [] };

/** @param {string[]} names */
function groupsOf(names) {
  if (wide.matches) return names.map((name) => [name]);
  const key = `${innerWidth} ${innerHeight} ${names.join(" ")}`;
  if (together.key !== key) Object.assign(together, { key, groups: groupsThatFit(names) });
  return together.groups;
}

/**
 * Panels one below the other, as long as there is room.
 * @param {string[]} names
 */
function groupsThatFit(names) {
  const { clientWidth, clientHeight } = at("panels");
  /** @type {string[][]} */
  const groups = [];
  let left = 0;
  for (const name of names) {
    const view = views.get(name);
    const pixels = view ? Math.min(clientWidth, WIDEST) / view.area.width : 0;
    const fits = view && lowest(view) * pixels <= left;
    if (fits) groups.at(-1)?.push(name);
    else groups.push([name]);
    left = view ? (fits ? left : clientHeight + TITLE * pixels) - view.area.height * pixels : 0;
  }
  return groups;
}

/**
 * What lies behind the same tab as a panel.
 * @param {string} name
 */
const groupOf = (name) => groupsOf(panelNames()).find((group) => group.includes(name)) ?? [name];

/** The panels that have something to pick. */
const openPanels = () => panelNames().filter((name) => panelOf(name).querySelector(".can"));

export function showTabs() {
  const names = panelNames();
  const open = active() ? openPanels() : [];
  raiseTray();
  chooseTab(names, open);
  const focused = document.activeElement?.closest("[role=tab]")?.getAttribute("data-tab");
  at("tabs").replaceChildren(...groupsOf(names).map((group) => tabButton(group, group.some((name) => open.includes(name)))));
  if (focused) focusTab(focused);
  const group = groupOf(tab);
  for (const name of names) panelOf(name).classList.toggle("open", group.includes(name));
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
  const leave = !picking.steps.length || !groupOf(tab).some((name) => open.includes(name));
  if (step && step !== chosenFor && leave && !fixed) tab = mainPanel(open);
  chosenFor = step;
}

/**
 * @param {string[]} group
 * @param {boolean} lit
 */
function tabButton(group, lit) {
  return make(
    "button",
    {
      type: "button",
      role: "tab",
      "data-tab": group.join(" "),
      class: lit ? "lit" : "",
      "aria-selected": group.includes(tab),
      "aria-controls": group.map((name) => `panel-${name}`).join(" "),
      onclick: () => openTab(group[0]),
    },
    group.map(titleOf).join(" · "),
  );
}

/** @param {string} name */
const titleOf = (name) => now.state.areas.find((one) => one.name === name && one.kind === "panel")?.title ?? say(name);

/** @param {string} names */
function focusTab(names) {
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-tab="${names}"]`))?.focus();
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
  const groups = groupsOf(panelNames());
  const place = groups.findIndex((group) => group.join(" ") === from.getAttribute("data-tab"));
  const next = groups[(place + by + groups.length) % groups.length];
  openTab(next[0]);
  focusTab(next.join(" "));
  return true;
}

/** On a small screen panels are as large as fits, and what can be picked is large enough for a finger. */
export function fitPanels() {
  const panels = drawnPanels();
  const room = wide.matches ? 0 : at("panels").clientWidth;
  if (!room) return unfitPanels(panels);
  raiseTray();
  const high = at("panels").clientHeight - 6;
  for (const view of panels) fitPanel(view, room, Math.min(room, WIDEST, (high / (lowest(view) - TITLE)) * view.area.width));
}

const drawnPanels = () => [...views.values()].filter(({ area }) => area.kind === "panel" && !isAboutScores(area));

/** @param {AreaView[]} panels */
function unfitPanels(panels) {
  for (const { svg } of panels) for (const name of ["width", "margin-top"]) svg.style.removeProperty(name);
  document.body.style.removeProperty("--tray");
}

/** How far down in a panel something can be picked, now or later. @param {AreaView} view */
const lowest = (view) =>
  Math.max(TITLE + 1, ...view.elements().map((one) => view.boxOf(one)).map((box) => box.y + box.height));

/** Let the panels have as many pixels as they need, and never less again at this size of the window. */
function raiseTray() {
  const room = wide.matches ? 0 : at("panels").clientWidth;
  if (!room) return;
  const needed = Math.max(0, ...drawnPanels().map((view) => ((lowest(view) - TITLE) * room) / view.area.width));
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
  const first = groupOf(view.area.name)[0] === view.area.name; // the tab says what it is
  view.svg.style.marginTop = first ? `${-TITLE * pixels * factor}px` : "0";
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
