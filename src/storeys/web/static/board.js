// The cities and panels: where they stand in the page, whose is large, how near one looks.

import { AreaView, pairsOf } from "./areas.js";
import { ask, heard } from "./asking.js";
import { at, keep, make } from "./dom.js";
import { active, FINGER, hasCities, largeSeat, look, looksElsewhere, now, ownSeat, views, wide } from "./now.js";
import { disc } from "./scores.js";
import { say } from "./texts.js";

/** @typedef {import("./types.js").Area} Area */
/** @typedef {import("./types.js").View} View */
/** @typedef {(event: MouseEvent, view: AreaView) => void} Clicked */

const LEGIBLE = 0.6; // of the size that a city is drawn for; one that is smaller is opened by a click

/**
 * @param {Area} area
 * @param {Clicked} clicked
 */
function viewOf(area, clicked) {
  const known = views.get(area.name);
  const view = known ?? new AreaView(area);
  if (!known) {
    view.svg.addEventListener("click", (event) => {
      if (!opens(view)) clicked(event, view);
    });
    views.set(area.name, view);
  }
  view.show(area, area.title);
  return view;
}

/**
 * Cities into the board, panels into the side; what is there already stays where it is.
 * @param {Clicked} clicked
 * @param {(seat: number) => void} chosen called with the seat of a small city that is clicked
 */
export function showAreas(clicked, chosen) {
  forgetAreas();
  const large = largeSeat();
  const board = at("cities");
  cramped = isCramped();
  if (!cramped) now.opened = null;
  for (const area of cities()) {
    const view = viewOf(area, clicked);
    const box = cityBox(view, board, chosen);
    const isLarge = large === null ? area.name === now.opened : area.seat === large;
    box.classList.toggle("large", isLarge);
    box.classList.toggle("beside", !isLarge && (large !== null || now.opened !== null));
    view.small = !isLarge && large !== null;
    view.lookAtAll();
  }
  layOutCities();
  /** @type {Element | null} */
  let before = null;
  for (const area of now.state.areas) if (area.kind === "panel") before = showPanel(area, clicked, before);
  at("own-city").hidden = !looksElsewhere() && now.opened === null;
  at("own-city").lastElementChild?.replaceChildren(say(now.opened === null ? "own-city" : "all-cities"));
  showView();
}

const cities = () => now.state.areas.filter((area) => area.kind === "city");

/** Lay the cities out: one large with the others beside it, or all alike in the rows that suit the room. */
export function layOutCities() {
  const board = at("cities");
  const count = cities().length;
  const { width, height } = cities()[0] ?? { width: 1, height: 1 };
  const kind = `cities ${largeSeat() !== null ? "one-large" : now.opened === null ? "alike" : "one-open"}`;
  board.dataset.count = String(count);
  board.style.setProperty("--others", String(Math.max(count - 1, 1)));
  board.style.setProperty("--ratio", String(width / height));
  board.style.setProperty("--across", String(acrossOf(count, width / height)));
  cramped = isCramped();
  const names = cramped ? `${kind} cramped` : kind;
  if (board.className !== names) board.className = names;
  for (const view of views.values()) view.svg.closest(".city-box")?.classList.toggle("opens", opens(view));
}

/**
 * How many of so many cities stand in a row, so that they are as large as can be.
 * @param {number} count
 * @param {number} ratio of width to height
 */
function acrossOf(count, ratio) {
  const size = (/** @type {number} */ across) => widthOf(count, across, ratio);
  return Array.from({ length: count }, (_, n) => n + 1).reduce((best, n) => (size(n) > size(best) ? n : best), 1);
}

/**
 * How wide each of so many cities is with so many in a row.
 * @param {number} count
 * @param {number} across
 * @param {number} ratio
 */
function widthOf(count, across, ratio) {
  const [wide, high] = roomForCities();
  return Math.min(wide / across, (high / Math.ceil(count / across)) * ratio);
}

/** How wide and high the room for the cities is, since the browser last said so. @type {[number, number] | null} */
let room = null;

function roomForCities() {
  room ??= [at("cities").clientWidth, at("cities").clientHeight];
  return room;
}

/** Lay the cities out anew whenever their room has changed; to ask the browser each time takes long. */
export function watchRoom() {
  new ResizeObserver(() => {
    const before = roomForCities();
    room = null;
    if (roomForCities().some((one, nth) => one !== before[nth])) layOutCities();
    showZoom();
  }).observe(at("cities"));
}

/** Whether cities that are all shown alike are too small to be read; known since they were laid out. */
let cramped = false;

function isCramped() {
  const [first] = cities();
  if (!first) return false;
  const ratio = first.width / first.height;
  return widthOf(cities().length, acrossOf(cities().length, ratio), ratio) < LEGIBLE * first.width;
}

/**
 * Whether a click opens a city large, before anything in it can be picked.
 * @param {AreaView} view
 */
function opens({ area }) {
  const several = area.kind === "city" && largeSeat() === null && cities().length > 1;
  return several && now.opened !== area.name && cramped;
}

/** Mark what the present decision needs, and bring its panels into sight where panels scroll. */
export function showNeeded() {
  /** @type {Element[]} */
  const needed = [];
  for (const { svg, area } of views.values()) {
    const holder = svg.closest("[data-panel], .city-box");
    const isNeeded = Boolean(svg.querySelector(".can"));
    holder?.toggleAttribute("data-needed", isNeeded);
    if (holder && isNeeded && area.kind === "panel") needed.push(holder);
  }
  const names = needed.map((one) => one.id).join(" ");
  if (!wide.matches || names === neededBefore) return;
  neededBefore = names;
  const side = at("side");
  const { top, bottom } = side.getBoundingClientRect();
  const lit = needed.flatMap((one) => [...one.querySelectorAll(".can")]);
  const boxes = lit.map((one) => one.getBoundingClientRect());
  const first = Math.min(...boxes.map((box) => box.top));
  const isOut = first < top || Math.max(...boxes.map((box) => box.bottom)) > bottom;
  if (needed.length && isOut) side.scrollTop += first - top;
}

/** The panels that were needed when that was last looked at. */
let neededBefore = "";

/** Take away what is no longer there. */
function forgetAreas() {
  const names = new Set(now.state.areas.map((area) => area.name));
  for (const [name, view] of views) {
    if (names.has(name)) continue;
    view.svg.closest(`[data-panel="${name}"], .city-box`)?.remove();
    view.svg.remove();
    views.delete(name);
  }
}

/** The boxes of cities that listen to clicks. @type {WeakSet<HTMLElement>} */
const listening = new WeakSet();

/**
 * Whose a city is, where it is so small that its own head cannot be read; others hear it from the city.
 * @param {Area} area
 */
const captionOf = ({ seat, title }) =>
  seat !== null && make("p", { class: "caption", "aria-hidden": "true" }, disc(seat), make("span", { class: "name" }, title));

/**
 * @param {AreaView} view
 * @param {HTMLElement} board
 * @param {(seat: number) => void} chosen
 */
function cityBox(view, board, chosen) {
  const known = /** @type {HTMLElement | null} */ (view.svg.closest(".city-box"));
  if (known && listening.has(known)) return known;
  const box = known ?? make("div", { class: "city-box" }, make("div", { class: "leaf" }, captionOf(view.area)));
  if (!known) {
    box.firstElementChild?.append(view.svg);
    board.append(box);
  }
  listening.add(box);
  box.addEventListener("click", () => {
    const { seat, name } = view.area;
    if (opens(view)) {
      now.opened = name;
      heard.redraw();
    } else if (seat !== null && largeSeat() !== null && largeSeat() !== seat) chosen(seat);
  });
  return box;
}

/**
 * Show a panel behind the one before it.  What stands there stays untouched: a click is lost whose element is moved
 * between pressing and letting go.
 * @param {Area} area
 * @param {Clicked} clicked
 * @param {Element | null} before
 * @returns {Element | null} what the next one stands behind
 */
function showPanel(area, clicked, before) {
  const view = viewOf(area, clicked);
  if (isAboutScores(area)) {
    if (view.svg.parentElement !== at("scores-picture")) at("scores-picture").append(view.svg);
    return before;
  }
  let box = /** @type {HTMLElement | null} */ (view.svg.closest("[data-panel]"));
  if (!box) {
    box = make("section", { class: "pane", id: `panel-${area.name}`, "data-panel": area.name, role: "tabpanel" });
    box.append(view.svg);
  }
  box.setAttribute("aria-label", area.title);
  const place = before ? before.nextElementSibling : at("drawn").firstElementChild;
  if (place !== box) at("drawn").insertBefore(box, place);
  return box;
}

/** Whether an area belongs below the scores, which the page lists itself. @param {Area} area */
export const isAboutScores = (area) => area.name.startsWith("scores-");

/** Make a seat's city the large one, or one's own again. @param {number} seat */
export function chooseCity(seat) {
  if (!hasCities()) return;
  now.shown = now.shown === seat && ownSeat() === null ? null : seat;
}

/** What scrolls but has nothing in it to tab to can itself be tabbed to, so that keys scroll it. */
export function letKeysScroll() {
  for (const id of ["cities", "panels", "side", "log"]) {
    const part = at(id);
    const scrolls = part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1;
    const reached = [...part.querySelectorAll("button, summary, [tabindex='0']")].some((one) =>
      one.checkVisibility({ visibilityProperty: true }),
    );
    if (scrolls && !reached) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
}

// --- plan and skyline

function showView() {
  const skyline = look.view === "skyline";
  at("view-plan").setAttribute("aria-pressed", String(!skyline));
  at("view-skyline").setAttribute("aria-pressed", String(skyline));
  at("turns").hidden = !skyline;
}

/** @param {View} view */
export function setView(view) {
  look.view = view;
  if (!now.backToSkyline) keep("skyline", view === "skyline" ? now.state.table : "");
  ask();
}

/** @param {number} by */
export function turnSkyline(by) {
  if (look.view !== "skyline") return;
  look.turn = (look.turn + by + 4) % 4;
  keep("turn", String(look.turn));
  ask();
}

// --- coming closer

/** Come closer to what can be picked in the own city, where a finger picks and it would be too small. */
export function showZoom() {
  const pairs = new Set(
    active() ? now.picking.choices.flatMap(({ picks }) => Object.entries(picks).map((pair) => pair.join("="))) : [],
  );
  let near = false;
  for (const view of views.values()) {
    if (view.area.kind !== "city") continue;
    const own = view.area.seat !== null && view.area.seat === now.state.viewer && view.area.seat === largeSeat();
    const targets = own && now.byFinger && !now.wholeCity ? targetsIn(view, pairs) : [];
    near = view.lookAt(targets, FINGER) || near;
  }
  at("zoom").hidden = !(near || (now.byFinger && now.wholeCity));
  at("zoom").setAttribute("aria-pressed", String(!now.wholeCity));
}

/**
 * @param {AreaView} view
 * @param {Set<string>} pairs
 */
const targetsIn = (view, pairs) =>
  view.elements().filter((one) => pairsOf(one).some((pair) => pairs.has(pair.join("="))));
