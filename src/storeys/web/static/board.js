// The cities and panels: where they stand in the page, whose is large, how near one looks.

import { AreaView, pairsOf } from "./areas.js";
import { ask } from "./asking.js";
import { at, keep, make } from "./dom.js";
import { active, FINGER, hasCities, largeSeat, look, looksElsewhere, now, ownSeat, views } from "./now.js";

/** @typedef {import("./types.js").Area} Area */
/** @typedef {import("./types.js").View} View */
/** @typedef {(event: MouseEvent, view: AreaView) => void} Clicked */

/**
 * @param {Area} area
 * @param {Clicked} clicked
 */
function viewOf(area, clicked) {
  const known = views.get(area.name);
  const view = known ?? new AreaView(area);
  if (!known) {
    view.svg.addEventListener("click", (event) => clicked(event, view));
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
  const cities = now.state.areas.filter((area) => area.kind === "city");
  const board = at("cities");
  board.className = `cities ${large === null ? "alike" : "one-large"}`;
  board.dataset.count = String(cities.length);
  board.style.setProperty("--count", String(cities.length));
  for (const area of cities) {
    const box = cityBox(viewOf(area, clicked), board, chosen);
    box.classList.toggle("large", large !== null && area.seat === large);
    box.classList.toggle("beside", large !== null && area.seat !== large);
  }
  for (const area of now.state.areas) if (area.kind === "panel") showPanel(area, clicked);
  at("own-city").hidden = !looksElsewhere();
  showView();
}

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

/**
 * @param {AreaView} view
 * @param {HTMLElement} board
 * @param {(seat: number) => void} chosen
 */
function cityBox(view, board, chosen) {
  const known = /** @type {HTMLElement | null} */ (view.svg.closest(".city-box"));
  if (known) return known;
  const box = make("div", { class: "city-box" });
  box.append(view.svg);
  box.addEventListener("click", () => {
    const seat = view.area.seat;
    if (seat !== null && largeSeat() !== null && largeSeat() !== seat) chosen(seat);
  });
  board.append(box);
  return box;
}

/**
 * @param {Area} area
 * @param {Clicked} clicked
 */
function showPanel(area, clicked) {
  const view = viewOf(area, clicked);
  if (isAboutScores(area)) return at("scores-picture").append(view.svg);
  let box = /** @type {HTMLElement | null} */ (view.svg.closest("[data-panel]"));
  if (!box) {
    box = make("section", { class: "pane", id: `panel-${area.name}`, "data-panel": area.name, role: "tabpanel" });
    box.append(view.svg);
  }
  box.setAttribute("aria-label", area.title);
  at("panels").insertBefore(box, at("panel-scores"));
}

/** Whether an area belongs below the scores, which the page lists itself. @param {Area} area */
export const isAboutScores = (area) => area.name.startsWith("scores-");

/** Make a seat's city the large one, or one's own again. @param {number} seat */
export function chooseCity(seat) {
  if (!hasCities()) return;
  now.shown = seat === ownSeat() || (now.shown === seat && ownSeat() === null) ? null : seat;
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
