// The match page, the same for all games: it knows areas, choices and texts, and no rules.

import { askState, post, postEvent, Refused } from "./api.js";
import { AreaView, badge, frame, ghost, keepBodies, knownHashes, line, pairsOf, unframe, useShapes } from "./areas.js";
import { at, icon, keep, kept, make } from "./dom.js";
import { watch } from "./live.js";
import { Picking } from "./picking.js";
import { disc, scoreList, scoreSheet } from "./scores.js";
import { copyText, onTheme, theme, toast } from "./shell.js";
import { say } from "./texts.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Area} Area */

const FINGER = 46; // pixels that a target should have
const PUT_DOWN = ["tile", "piece", "block"]; // keys of what is put on a place, seen as a ghost

/** @type {State} */
let state = JSON.parse(at("state").textContent || "{}");
let picking = new Picking([]);
/** How the state was asked for. */
const look = {
  /** @type {number | null} */ seat: null,
  /** @type {number | null} */ ply: null,
  /** @type {View} */ view: kept("view") === "skyline" ? "skyline" : "plan",
  turn: Number(kept("turn") ?? 0) % 4,
  /** @type {string | null} */ part: null,
};
/** Whose city is large; null: one's own. @type {number | null} */
let shown = null;
let tab = "";
let byKeyboard = false;
let busy = false;
let backToSkyline = false;
let wholeCity = false;
/** The number of the last thing the log told. */
let told = state.last_ply;
/** @type {Set<number>} */
const openScores = new Set();
/** @type {Map<string, AreaView>} */
const views = new Map();
/** @type {ReturnType<typeof setInterval> | undefined} */
let running;

const wide = window.matchMedia("(min-width: 860px)");

// --- asking

let asked = 0;
/** @type {AbortController | null} */
let question = null;

/** @param {State} answer */
const drawings = (answer) => [...answer.areas, ...(answer.defs ? [answer.defs] : [])];

/** Ask for the state as it is to be shown now. */
async function ask() {
  const mine = ++asked;
  question?.abort();
  question = new AbortController();
  const wanted = { ...look, theme: theme(), lang: state.lang };
  try {
    let answer = await askState(state.table, { ...wanted, known: knownHashes() }, question.signal);
    if (mine !== asked) return;
    if (!keepBodies(drawings(answer))) {
      answer = await askState(state.table, { ...wanted, known: [] }, question.signal);
      keepBodies(drawings(answer));
    }
    if (mine !== asked || answer.seq < state.seq) return;
    document.body.classList.remove("offline");
    take(answer);
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") return;
    if (mine !== asked) return;
    if (problem instanceof Refused) {
      // What was asked for is gone: a part that no longer counts, a move taken back.
      if (look.part || look.ply !== null) {
        look.part = null;
        look.ply = null;
        ask();
      } else toast(problem.message);
      return;
    }
    document.body.classList.add("offline");
    setTimeout(() => {
      if (mine === asked) ask();
    }, 3000);
  }
}

/**
 * A new state has come: show it.
 * @param {State} answer
 */
function take(answer) {
  const before = state;
  state = answer;
  if (look.ply !== null && look.ply >= state.last_ply) look.ply = null;
  const same =
    before.seq === state.seq &&
    JSON.stringify(before.choices) === JSON.stringify(state.choices) &&
    before.viewer === state.viewer;
  if (!same || !picking.choices.length) {
    picking = new Picking(state.choices);
    wholeCity = false;
  }
  if (before.to_move !== state.to_move) shown = null;
  tell();
  show();
}

/** Say aloud what others did. */
function tell() {
  const news = state.log.filter((entry) => entry.ply > told);
  for (const entry of news.slice(-4)) {
    if (state.seats[entry.seat]?.mine) continue;
    at("spoken").append(make("p", {}, `${state.seats[entry.seat]?.name}: ${entry.text}`));
  }
  while (at("spoken").childElementCount > 8) at("spoken").firstElementChild?.remove();
  told = state.last_ply;
}

// --- showing

const isPast = () => state.ply < state.last_ply;
const isHotSeat = () => state.mine.filter((seat) => state.seats[seat].kind === "human").length > 1;
const curtained = () =>
  state.status === "playing" &&
  (state.curtain || (isHotSeat() && state.to_move !== null && state.mine.includes(state.to_move) && state.viewer !== state.to_move));

function show() {
  document.documentElement.dataset.seq = String(state.seq);
  useShapes(state.defs);
  at("game-title").textContent = state.title;
  at("round").textContent = state.round ?? "";
  document.body.classList.toggle("over", state.status === "over");
  document.body.classList.toggle("my-turn", state.your_turn && !isPast());
  showCurtain();
  showPrompt();
  showSeats();
  showAreas();
  showScores();
  showLog();
  showTime();
  showPicks();
  showTabs();
}

function showCurtain() {
  const curtain = at("curtain");
  const drawn = curtained();
  const opening = drawn && curtain.hidden;
  curtain.hidden = !drawn;
  at("main").inert = drawn;
  if (!drawn || state.to_move === null) return;
  const name = state.seats[state.to_move].name;
  at("curtain-words").textContent = say("pass-screen", { name });
  at("lift").textContent = say("i-am", { name });
  if (opening) at("lift").focus();
}

function promptWords() {
  const name = state.to_move === null ? "" : state.seats[state.to_move].name;
  if (state.status === "over") return winnersWords();
  if (state.status === "waiting") return say("waiting-for-friends");
  if (state.your_turn || curtained()) return state.prompt;
  return say("their-turn", { name });
}

function winnersWords() {
  const names = state.winners.map((seat) => state.seats[seat].name);
  if (!names.length) return say("is-over");
  if (state.winners.length === 1 && state.seats[state.winners[0]].mine && !isHotSeat()) return say("you-win");
  return say(names.length === 1 ? "one-wins" : "many-win", { name: names.join(", ") });
}

function showPrompt() {
  const words = promptWords();
  if (at("prompt").textContent !== words) at("prompt").textContent = words;
  at("take-back").hidden = !state.can_take_back || isPast();
  const turn = state.your_turn && state.status === "playing";
  document.title = turn
    ? `● ${say("your-turn")} — ${state.title}`
    : state.status === "playing" && state.to_move !== null
      ? `${state.seats[state.to_move].name} — ${state.title}`
      : state.title;
  const banner = at("banner");
  banner.hidden = !isPast() || state.status === "over";
  banner.replaceChildren(
    make("span", {}, say("looking-at", { n: state.ply, last: state.last_ply })),
    make("button", { type: "button", class: "small", onclick: () => goTo(null) }, say("back-to-now")),
  );
  if (state.status === "over" && state.rematch) {
    banner.hidden = false;
    banner.replaceChildren(
      make("span", {}, say("rematch-began")),
      make("a", { class: "small", href: `/t/${state.rematch}` }, say("go-there")),
    );
  }
  if (state.status === "waiting" && !document.querySelector("#banner .invite")) {
    const invites = state.seats.filter((seat) => seat.invite);
    banner.hidden = false;
    banner.replaceChildren(make("span", {}, say("send-links")), ...invites.map(inviteRow));
  }
}

function showSeats() {
  const own = largeSeat();
  at("seats").replaceChildren(
    ...state.seats.map((seat) => {
      const total = state.scores.find((score) => score.seat === seat.seat)?.total ?? 0;
      const moves = state.to_move === seat.seat && state.status === "playing";
      const words = [
        seat.name,
        seat.mine && !isHotSeat() ? say("you") : "",
        say("n-points", { n: total }),
        moves ? say("is-to-move") : "",
        seat.resigned ? say("resigned") : "",
      ];
      return make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: `seat${moves ? " moves" : ""}${seat.mine ? " mine" : ""}${seat.resigned ? " resigned" : ""}`,
            "aria-label": words.filter(Boolean).join(", "),
            "aria-pressed": hasCities() ? own === seat.seat : null,
            onclick: () => showSeat(seat.seat),
          },
          disc(seat.seat),
          make("span", { class: "name" }, seat.name),
          seat.kind === "bot" && icon("bot"),
          state.winners.includes(seat.seat) && icon("crown"),
          make("strong", {}, String(total)),
        ),
      );
    }),
  );
}

const hasCities = () => state.areas.some((area) => area.kind === "city" && area.seat !== null);
const ownSeat = () => state.viewer ?? (state.mine.length === 1 ? state.mine[0] : null);

/** Whose city is large, or null if all are shown alike. */
function largeSeat() {
  if (!hasCities()) return null;
  return shown ?? ownSeat();
}

/** @param {number} seat */
function showSeat(seat) {
  if (hasCities()) shown = seat === ownSeat() || (shown === seat && ownSeat() === null) ? null : seat;
  openScores.add(seat);
  show();
}

/** @param {Area} area */
function titleOf(area) {
  if (area.title) return area.title;
  if (area.seat !== null && area.kind === "city") return state.seats[area.seat].name;
  const words = say(`area-${area.name}`);
  if (words !== `area-${area.name}`) return words;
  return views.get(area.name)?.body.querySelector("text")?.textContent ?? area.name;
}

/** @param {Area} area */
function viewOf(area) {
  let view = views.get(area.name);
  if (!view) {
    view = new AreaView(area);
    const made = view;
    view.svg.addEventListener("click", (event) => click(event, made));
    views.set(area.name, view);
  }
  view.show(area, titleOf(area));
  return view;
}

/** Cities into the board, panels into the side; what is there already stays where it is. */
function showAreas() {
  const names = new Set(state.areas.map((area) => area.name));
  for (const [name, view] of views) {
    if (names.has(name)) continue;
    (view.svg.closest("[data-panel]") ?? view.svg.closest(".city-box"))?.remove();
    view.svg.remove();
    views.delete(name);
  }
  const large = largeSeat();
  const cities = state.areas.filter((area) => area.kind === "city");
  const board = at("cities");
  board.className = `cities ${large === null ? "alike" : "one-large"}`;
  board.dataset.count = String(cities.length);
  board.style.setProperty("--count", String(cities.length));
  for (const area of cities) {
    const view = viewOf(area);
    let box = /** @type {HTMLElement | null} */ (view.svg.closest(".city-box"));
    if (!box) {
      box = make("div", { class: "city-box" });
      box.append(view.svg);
      box.addEventListener("click", () => {
        const seat = view.area.seat;
        if (seat !== null && largeSeat() !== null && largeSeat() !== seat) showSeat(seat);
      });
      board.append(box);
    }
    box.classList.toggle("large", large !== null && area.seat === large);
    box.classList.toggle("beside", large !== null && area.seat !== large);
  }
  const panels = at("panels");
  const last = at("panel-scores");
  for (const area of state.areas.filter((one) => one.kind === "panel")) {
    const view = viewOf(area);
    if (area.name === "scores") {
      // The page lists the scores itself; a drawing that shows more than that is kept.
      const plain = 26 * state.players + 60;
      if (area.height > plain) at("scores-picture").append(view.svg);
      else view.svg.remove();
      continue;
    }
    let box = /** @type {HTMLElement | null} */ (view.svg.closest("[data-panel]"));
    if (!box) {
      box = make("section", { class: "pane", id: `panel-${area.name}`, "data-panel": area.name, role: "tabpanel" });
      box.append(view.svg);
    }
    box.setAttribute("aria-label", titleOf(area));
    panels.insertBefore(box, last);
  }
  const skyline = look.view === "skyline";
  at("view-plan").setAttribute("aria-pressed", String(!skyline));
  at("view-skyline").setAttribute("aria-pressed", String(skyline));
  at("turns").hidden = !skyline;
}

function showScores() {
  at("scores").replaceChildren(
    ...scoreList(state, openScores, look.part, light),
    ...(state.status === "over"
      ? [make("button", { type: "button", class: "small wide", onclick: openSheet }, say("score-sheet"))]
      : []),
  );
}

/** @param {string | null} part */
function light(part) {
  look.part = part;
  const seat = part === null ? null : Number(part.split(".")[0]);
  if (seat !== null && hasCities()) shown = seat === ownSeat() ? null : seat;
  ask();
}

function showLog() {
  const log = at("log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
  const now = state.ply;
  log.replaceChildren(
    ...state.log.map((entry) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            "aria-current": entry.ply === now && isPast() ? "true" : null,
            onclick: () => goTo(entry.ply),
          },
          make("span", { class: "ply" }, String(entry.ply)),
          make("span", {}, make("b", {}, state.seats[entry.seat]?.name ?? ""), ` ${entry.text}`),
        ),
      ),
    ),
  );
  if (!state.log.length) log.append(make("li", { class: "quiet" }, say("no-moves")));
  if (atEnd && !isPast()) log.scrollTop = log.scrollHeight;
}

// --- time

/** @param {number | null} ply */
function goTo(ply) {
  const wanted = ply === null ? null : Math.min(Math.max(ply, 0), state.last_ply);
  look.ply = wanted === state.last_ply ? null : wanted;
  look.part = null;
  ask();
}

function showTime() {
  const bar = at("timeline");
  bar.hidden = !(state.status === "over" || isPast());
  const scrubber = /** @type {HTMLInputElement} */ (at("scrubber"));
  scrubber.max = String(state.last_ply);
  if (document.activeElement !== scrubber || running) scrubber.value = String(state.ply);
  at("ply").textContent = `${state.ply} / ${state.last_ply}`;
  if (running && !isPast()) stop();
}

function stop() {
  clearInterval(running);
  running = undefined;
  at("run").setAttribute("aria-pressed", "false");
  at("run").replaceChildren(icon("play"));
}

function run() {
  if (running) return stop();
  if (!isPast()) goTo(0);
  running = setInterval(() => goTo(state.ply + 1), 900);
  at("run").setAttribute("aria-pressed", "true");
  at("run").replaceChildren(icon("pause"));
}

// --- picking

/** @returns {[SVGGraphicsElement, AreaView][]} */
function elements() {
  return [...views.values()].flatMap((view) =>
    view.elements().map((one) => /** @type {[SVGGraphicsElement, AreaView]} */ ([one, view])),
  );
}

const active = () => state.your_turn && !isPast() && picking.choices.length > 0;

/** Light up what can be picked, and show the ghost and the actions of what is. */
function showPicks() {
  const on = active();
  document.body.classList.toggle("picking", on);
  for (const view of views.values()) view.top.replaceChildren();
  const left = on ? picking.left() : [];
  for (const [element, view] of elements()) {
    const pairs = pairsOf(element);
    const mine = on && (view.area.kind === "panel" || view.area.seat === null || view.area.seat === state.viewer);
    const standing = mine ? picking.standing(pairs) : "no";
    for (const name of ["can", "may", "picked", "implied", "no"]) element.classList.toggle(name, standing === name);
    const open = standing !== "no";
    element.setAttribute("tabindex", open ? "0" : "-1");
    element.setAttribute("aria-disabled", String(!open));
    if (standing === "picked") element.setAttribute("aria-pressed", "true");
    else element.removeAttribute("aria-pressed");
    if (["can", "picked", "implied"].includes(standing)) frame(element);
    else unframe(element);
    if (standing === "can" && picking.steps.length) note(element, view, left);
  }
  showGhost();
  showActions();
  showZoom();
}

/**
 * What a pick would bring, beside the element, when it leaves one choice.
 * @param {SVGGraphicsElement} element
 * @param {AreaView} view
 * @param {import("./types.js").Choice[]} left
 */
function note(element, view, left) {
  if (!left.some((choice) => choice.note)) return;
  const after = picking.left([...picking.steps, pairsOf(element)]);
  if (after.length !== 1 || !after[0].note) return;
  const box = view.boxOf(element);
  view.top.append(badge(after[0].note, box.x + box.width - 4, box.y + 4));
}

/**
 * The elements of the picks that are fixed now, by key.
 * @returns {Map<string, [SVGGraphicsElement, AreaView]>}
 */
function fixedElements() {
  const current = picking.current();
  /** @type {Map<string, [SVGGraphicsElement, AreaView]>} */
  const found = new Map();
  if (!active() || !current) return found;
  for (const [element, view] of elements()) {
    for (const [key, value] of pairsOf(element)) {
      if (current.picks[key] === value && !found.has(key)) found.set(key, [element, view]);
    }
  }
  return found;
}

function showGhost() {
  const current = picking.current();
  for (const [element, view] of elements()) {
    if (view.area.kind === "panel" && element.hasAttribute("data-turned")) {
      element.removeAttribute("transform");
      element.removeAttribute("data-turned");
    }
  }
  if (!active()) return;
  const fixed = fixedElements();
  const thing = PUT_DOWN.map((key) => fixed.get(key)).find((one) => one?.[1].area.kind === "panel");
  const place = [...fixed.values()].find(([, view]) => view.area.kind === "city");
  if (current && thing && place) {
    ghost(thing[0], place[0], place[1], Number(current.picks.turn ?? 0));
  } else if (current && fixed.has("from") && fixed.has("to")) {
    const [one, two] = [fixed.get("from"), fixed.get("to")];
    if (one && two) line(one[0], two[0], one[1], current.note ?? "");
  } else if (!current && picking.hasTurns()) turnPicked();
}

/** What is picked but has no place yet turns where it lies. */
function turnPicked() {
  for (const [element] of elements()) {
    if (!element.classList.contains("picked") || element.hasAttribute("transform")) continue;
    if (!pairsOf(element).some(([key]) => PUT_DOWN.includes(key)) || picking.turn === "0") continue;
    const mark = element.querySelector(":scope > .mark");
    mark?.remove();
    const box = element.getBBox();
    frame(element);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    element.setAttribute("transform", `rotate(${90 * Number(picking.turn)} ${x} ${y})`);
    element.setAttribute("data-turned", "");
  }
}

function showActions() {
  const current = active() ? picking.current() : null;
  const some = active() && picking.steps.length > 0;
  const bar = at("actions");
  bar.hidden = !active(); // all through the turn, so that nothing moves under the finger
  document.body.classList.toggle("acting", !bar.hidden);
  if (bar.hidden) return;
  const words = current ? sentence(current) : say(some ? "go-on" : "pick-lit");
  if (at("choice").textContent !== words) at("choice").textContent = words;
  /** @type {HTMLButtonElement} */ (at("confirm")).disabled = !current || busy;
  const turns = current ? picking.canTurn() : picking.hasTurns() && someTurns();
  at("turn").hidden = !turns;
  at("cancel").hidden = !some;
}

const someTurns = () => new Set(picking.left().map(({ picks }) => picks.turn)).size > 1;

/** @param {import("./types.js").Choice} choice */
function sentence(choice) {
  const label = choice.label.charAt(0).toUpperCase() + choice.label.slice(1);
  return choice.note ? `${label} · ${choice.note}` : label;
}

/** On a small screen, come closer to what can be picked in the city. */
function showZoom() {
  let near = false;
  for (const view of views.values()) {
    if (view.area.kind !== "city") continue;
    const own = view.area.seat !== null && view.area.seat === state.viewer && view.area.seat === largeSeat();
    if (!own || !active() || wide.matches || wholeCity) {
      view.lookAtAll();
      continue;
    }
    const keys = new Map(picking.choices.flatMap((choice) => Object.entries(choice.picks).map((pair) => [pair.join("="), true])));
    const targets = view.elements().filter((one) => pairsOf(one).some((pair) => keys.has(pair.join("="))));
    near = view.lookAt(targets, FINGER) || near;
  }
  at("zoom").hidden = !(near || wholeCity);
  at("zoom").setAttribute("aria-pressed", String(!wholeCity));
}

/**
 * A click into an area means the nearest thing that can be picked, so that small ones are not missed.
 * @param {MouseEvent} event
 * @param {AreaView} view
 */
function click(event, view) {
  if (!active()) return;
  const direct = /** @type {SVGGraphicsElement | null} */ (
    /** @type {Element} */ (event.target).closest("[role=button]")
  );
  if (direct && !direct.classList.contains("no") && direct.matches(".can, .picked, .may, .implied")) {
    event.stopPropagation();
    return pick(direct);
  }
  /** @type {SVGGraphicsElement | null} */
  let best = null;
  let least = Infinity;
  for (const one of view.elements()) {
    if (!one.matches(".can, .may, .picked")) continue;
    const box = one.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const away = Math.hypot(event.clientX - x, event.clientY - y);
    const reach = Math.max(FINGER / 2, Math.hypot(box.width, box.height) / 2) + 4;
    if (away < reach && away < least) [best, least] = [one, away];
  }
  if (best) {
    event.stopPropagation();
    pick(best);
  }
}

/** @param {SVGGraphicsElement} element */
function pick(element) {
  if (busy || !picking.pick(pairsOf(element))) return;
  if (needsPlan()) {
    backToSkyline = true;
    setView("plan");
    return;
  }
  picked();
}

/** Whether what is to be picked next cannot be seen from the air. */
function needsPlan() {
  if (look.view !== "skyline" || picking.current() || !picking.steps.length) return false;
  return !elements().some(([one, view]) => {
    const mine = view.area.seat === null || view.area.seat === state.viewer;
    return mine && !picking.isPicked(pairsOf(one)) && picking.standing(pairsOf(one)) === "can";
  });
}

/** After a pick: show it, go where the next one is. */
function picked() {
  showPicks();
  showTabs();
  if (!byKeyboard) return;
  const now = document.activeElement;
  if (now instanceof SVGElement && now.matches(".picked, .implied")) {
    if (picking.current()) return;
    const next = elements().find(([one]) => one.matches(".can") && isSeen(one));
    next?.[0].focus();
  }
}

function cancel() {
  if (picking.widen()) picked();
  else if (look.part) light(null);
  else if (isPast()) goTo(null);
}

async function confirm() {
  const choice = active() ? picking.current() : null;
  if (!choice || busy || state.to_move === null) return;
  await send({ kind: "move", seat: state.to_move, move: choice.move });
}

/**
 * Post an event; the server's sentence is shown if it says no.
 * @param {{kind: string, seat: number | null, move?: string, name?: string, bot?: string}} event
 */
async function send(event) {
  if (busy) return null;
  busy = true;
  document.body.classList.add("busy");
  showActions();
  try {
    const answer = await postEvent(state.table, { seq: state.seq, ...event });
    if (event.kind === "move") picking = new Picking([]);
    if (backToSkyline && event.kind === "move") {
      backToSkyline = false;
      look.view = "skyline";
    }
    look.part = null;
    look.ply = null;
    return answer;
  } catch (problem) {
    toast(problem instanceof Refused ? problem.message : say("no-connection"));
    return null;
  } finally {
    busy = false;
    document.body.classList.remove("busy");
    if (event.kind !== "rematch") await ask();
    refocus();
  }
}

/** After a move by keyboard the next thing to pick has the focus. */
function refocus() {
  if (!byKeyboard || !active()) return;
  const now = document.activeElement;
  if (now && now !== document.body && !(now.closest(".actions") && at("actions").hidden)) return;
  elements().find(([one]) => one.matches(".can") && isSeen(one))?.[0].focus();
}

// --- tabs of a small screen

function panelNames() {
  return /** @type {HTMLElement[]} */ ([...at("panels").querySelectorAll("[data-panel]")]).map(
    (one) => one.dataset.panel ?? "",
  );
}

/** @param {string} name */
const panelOf = (name) => at(`panel-${name}`);

/** The panels that have something to pick. */
function openPanels() {
  return panelNames().filter((name) => panelOf(name).querySelector(".can"));
}

let tabsFor = "";
let fittedFor = "";

function showTabs() {
  const names = panelNames();
  const open = active() ? openPanels() : [];
  if (!names.includes(tab)) tab = names[0] ?? "";
  // Go to what is to be picked, but not away from a tab that has something too.
  const phase = `${state.seq} ${picking.steps.length}`;
  if (phase !== tabsFor && open.length && !open.includes(tab) && !(picking.steps.length && picking.current())) tab = open[0];
  tabsFor = phase;
  const focused = document.activeElement?.closest("[role=tab]")?.getAttribute("data-tab");
  at("tabs").replaceChildren(
    ...names.map((name) => {
      const area = state.areas.find((one) => one.name === name && one.kind === "panel");
      const title = area && name !== "scores" ? titleOf(area) : say(name);
      return make(
        "button",
        {
          type: "button",
          role: "tab",
          "data-tab": name,
          class: open.includes(name) ? "lit" : "",
          "aria-selected": tab === name,
          "aria-controls": `panel-${name}`,
          onclick: () => openTab(name),
        },
        title,
      );
    }),
  );
  if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-tab="${focused}"]`))?.focus();
  for (const name of names) panelOf(name).classList.toggle("open", name === tab);
  fitPanels();
}

/** @param {string} name */
function openTab(name) {
  tab = name;
  showTabs();
  if (name === "log") at("log").scrollTop = at("log").scrollHeight;
}

/** On a small screen a panel grows until what can be picked is large enough for a finger. */
function fitPanels() {
  for (const [name, view] of views) {
    if (view.area.kind !== "panel") continue;
    const room = at("panels").clientWidth;
    if (wide.matches || !room || name === "scores") {
      view.svg.style.removeProperty("width");
      continue;
    }
    const targets = view.elements().filter((one) => one.matches(".can, .may, .picked, .implied"));
    const boxes = targets.map((one) => view.boxOf(one)).filter((box) => box.width > 0);
    const pixels = Math.min(room, 560) / view.area.width;
    const small = Math.min(...boxes.map((box) => Math.min(box.width, box.height))) * pixels;
    const left = Math.min(...boxes.map((box) => box.x)) - 12;
    const right = Math.max(...boxes.map((box) => box.x + box.width)) + 12;
    const most = Math.min(1.5, room / ((right - left) * pixels));
    const factor = boxes.length ? Math.max(Math.min(FINGER / small, most), 1) : 1;
    view.svg.style.width = `${Math.round(Math.min(room, 560) * factor)}px`;
    if (name !== tab || fittedFor === `${tabsFor} ${tab}`) continue;
    fittedFor = `${tabsFor} ${tab}`;
    const end = right * pixels * factor;
    if (boxes.length) at("panels").scrollLeft = end > room ? Math.min(left * pixels * factor, end - room + 200) : 0;
  }
}

// --- the keyboard

/** @param {Element} element */
function isSeen(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && getComputedStyle(element).visibility === "visible";
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Go to the nearest thing in a direction.
 * @param {number[]} direction
 */
function step([dx, dy]) {
  const all = elements()
    .map(([one]) => one)
    .filter((one) => one.matches(".can, .may, .picked") && isSeen(one));
  if (!all.length) return false;
  const now = document.activeElement;
  if (!(now instanceof SVGGraphicsElement) || !pairsOf(now).length) {
    (all.find((one) => one.matches(".can")) ?? all[0]).focus();
    return true;
  }
  const from = now.getBoundingClientRect();
  const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
  /** @type {SVGGraphicsElement | null} */
  let best = null;
  let least = Infinity;
  for (const one of all) {
    if (one === now) continue;
    const box = one.getBoundingClientRect();
    const [a, b] = [box.x + box.width / 2 - x, box.y + box.height / 2 - y];
    const along = a * dx + b * dy;
    const aside = Math.abs(a * dy) + Math.abs(b * dx);
    if (along < 4) continue;
    const cost = along + 2.5 * aside;
    if (cost < least) [best, least] = [one, cost];
  }
  best?.focus();
  return true;
}

/** @param {KeyboardEvent} event */
function key(event) {
  byKeyboard = true;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.matches("input[type=text], textarea, select")) return;
  if (curtained()) return;
  const inPicture = target instanceof SVGElement && pairsOf(target).length > 0;
  const inControl = target.matches("button, a, input, summary");
  const slider = target.id === "scrubber";
  if (act()) event.preventDefault();

  /** @returns {boolean} whether the key was ours */
  function act() {
    const arrow = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
    if (arrow) {
      if (slider) return false;
      if (target.matches("[role=tab]")) return nextTab(target, arrow[0]);
      if (!at("timeline").hidden && !active()) {
        if (!arrow[0]) return false;
        goTo(state.ply + arrow[0]);
        return true;
      }
      return active() && step(arrow);
    }
    switch (event.key) {
      case "Enter":
        if (inControl) return false;
        if (inPicture && target.matches(".can, .may")) pick(/** @type {any} */ (target));
        else confirm();
        return true;
      case " ":
        if (!inPicture) return false;
        pick(/** @type {any} */ (target));
        return true;
      case "r":
      case "R":
        if (active() && picking.cycle(event.key === "r" ? 1 : -1)) showPicks();
        return true;
      case "Escape":
        cancel();
        return true;
      case "u":
        takeBack();
        return true;
      case "s":
        setView(look.view === "plan" ? "skyline" : "plan");
        return true;
      case "[":
        turnSkyline(-1);
        return true;
      case "]":
        turnSkyline(1);
        return true;
      case "l":
        openTab("log");
        /** @type {HTMLElement | null} */ (at("log").querySelector("li:last-child button"))?.focus();
        panelOf("log").scrollIntoView({ block: "nearest" });
        return true;
      case "<":
        goTo(state.ply - 1);
        return true;
      case ">":
        goTo(state.ply + 1);
        return true;
      case "?":
        open("keys");
        return true;
      default:
        return false;
    }
  }
}

/**
 * @param {Element} from
 * @param {number} by
 */
function nextTab(from, by) {
  const names = panelNames();
  const next = names[(names.indexOf(from.getAttribute("data-tab") ?? "") + by + names.length) % names.length];
  if (!by) return false;
  openTab(next);
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-tab="${next}"]`))?.focus();
  return true;
}

// --- views

/** @param {View} view */
function setView(view) {
  look.view = view;
  if (!backToSkyline) keep("view", view);
  ask();
}

/** @param {number} by */
function turnSkyline(by) {
  if (look.view !== "skyline") return;
  look.turn = (look.turn + by + 4) % 4;
  keep("turn", String(look.turn));
  ask();
}

// --- everything else one can do

/** @param {string} id */
function open(id) {
  /** @type {HTMLDialogElement} */ (at(id)).showModal();
}

/** @param {string} id */
function close(id) {
  /** @type {HTMLDialogElement} */ (at(id)).close();
}

async function takeBack() {
  const seat = state.log.at(-1)?.seat ?? null;
  if (state.can_take_back && seat !== null) await send({ kind: "take-back", seat });
}

/**
 * Ask once more before something that cannot be undone.
 * @param {string} words
 * @param {string} yes
 * @param {() => void} then
 */
function sure(words, yes, then) {
  at("sure-words").textContent = words;
  const button = at("sure-yes");
  const fresh = /** @type {HTMLElement} */ (button.cloneNode(false));
  fresh.textContent = yes;
  fresh.addEventListener("click", () => {
    close("sure");
    then();
  });
  button.replaceWith(fresh);
  open("sure");
}

function openMenu() {
  const own = actingSeat();
  const playing = state.status === "playing" && own !== null;
  /** @type {(HTMLElement | false | null)[]} */
  const items = [
    state.can_take_back && item("undo", say("take-back"), takeBack),
    state.status === "over" && item("crown", say("score-sheet"), openSheet),
    state.status === "over" && item("turn", say("rematch"), rematch),
    state.mine.length > 0 || state.seats.some((seat) => seat.invite)
      ? item("people", say("links"), openInvites)
      : null,
    state.links.rules ? link("eye", say("rules"), state.links.rules, true) : null,
    item("menu", say("keys"), () => open("keys")),
    state.links.picture ? link("skyline", say("share-picture"), state.links.picture, true) : null,
    state.links.record ? link("copy", say("download-record"), state.links.record, false) : null,
    playing &&
      item("bot", say("let-bot"), () =>
        sure(say("sure-bot"), say("let-bot"), () => send({ kind: "take-over", seat: own, bot: "builder" })),
      ),
    playing &&
      item("cross", say("resign"), () =>
        sure(say("sure-resign"), say("resign"), () => send({ kind: "resign", seat: own })),
      ),
    link("left", say("to-home"), "/", false),
  ];
  at("menu-items").replaceChildren(.../** @type {HTMLElement[]} */ (items.filter(Boolean)));
  open("menu");
}

/** The seat of this browser that acts: on one screen, the one to move. */
function actingSeat() {
  if (state.to_move !== null && state.mine.includes(state.to_move)) return state.to_move;
  return ownSeat() ?? state.mine[0] ?? null;
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {() => unknown} then
 */
function item(sign, words, then) {
  return make(
    "button",
    {
      type: "button",
      class: "item",
      onclick: () => {
        close("menu");
        then();
      },
    },
    icon(sign),
    words,
  );
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {string} href
 * @param {boolean} apart
 */
function link(sign, words, href, apart) {
  const record = href === state.links.record;
  return make(
    "a",
    {
      class: "item",
      href,
      target: apart ? "_blank" : null,
      rel: apart ? "noopener" : null,
      download: record ? `${state.game}-${state.table}.json` : null,
    },
    icon(sign),
    words,
  );
}

/**
 * A link with a button that copies it.
 * @param {string} title
 * @param {string} path
 */
function copyRow(title, path) {
  const url = new URL(path, location.href).href;
  const text = make("input", { type: "text", readonly: true, value: url, "aria-label": title });
  text.addEventListener("focus", () => text.select());
  return make(
    "div",
    { class: "invite" },
    make("span", { class: "name" }, title),
    text,
    make(
      "button",
      {
        type: "button",
        class: "small",
        onclick: async () => {
          if (await copyText(url)) toast(say("copied"), "good");
          else text.focus();
        },
      },
      icon("copy"),
      say("copy"),
    ),
  );
}

/** @param {import("./types.js").Seat} seat */
const inviteRow = (seat) => copyRow(say("seat-n", { n: seat.seat + 1 }), seat.invite ?? "");

function openInvites() {
  const list = at("invite-list");
  const invites = state.seats.filter((seat) => seat.invite);
  list.replaceChildren(
    ...(invites.length ? [make("h3", {}, say("invite-heading")), make("p", { class: "quiet" }, say("invite-lead")), ...invites.map(inviteRow)] : []),
    make("h3", {}, say("watch-heading")),
    copyRow(say("watch-link"), `/t/${state.table}`),
    ...(state.mine.length ? [make("h3", {}, say("move-heading")), make("p", { class: "quiet" }, say("move-explain"))] : []),
    ...state.mine.map((seat) => {
      const row = make("div", {});
      row.append(
        make(
          "button",
          {
            type: "button",
            class: "small",
            onclick: async () => {
              try {
                const { url } = await post(`/api/tables/${state.table}/seats/${seat}/link`, {});
                row.replaceChildren(copyRow(state.seats[seat].name, url));
              } catch (problem) {
                toast(problem instanceof Refused ? problem.message : say("no-connection"));
              }
            },
          },
          say("make-link", { name: state.seats[seat].name }),
        ),
      );
      return row;
    }),
    ...state.mine.map((seat) => {
      const name = make("input", { type: "text", maxlength: 30, value: state.seats[seat].name, "aria-label": say("your-name") });
      return make(
        "form",
        {
          class: "invite",
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            close("invites");
            if (name.value.trim()) send({ kind: "rename", seat, name: name.value.trim() });
          },
        },
        make("span", { class: "name" }, say("your-name")),
        name,
        make("button", { type: "submit", class: "small" }, say("rename")),
      );
    }),
  );
  open("invites");
}

async function rematch() {
  if (state.rematch) return location.assign(`/t/${state.rematch}`);
  const answer = await send({ kind: "rematch", seat: actingSeat() });
  if (answer?.table) location.assign(`/t/${answer.table}`);
}

function openSheet() {
  at("sheet-heading").textContent = winnersWords();
  at("sheet-body").replaceChildren(
    scoreSheet(state, (part) => {
      close("sheet");
      light(part);
    }),
    make(
      "div",
      { class: "row" },
      state.mine.length > 0 && make("button", { type: "button", class: "big primary", onclick: rematch }, icon("turn"), say("rematch")),
      make("button", { type: "button", class: "big", onclick: () => (close("sheet"), goTo(0)) }, icon("play"), say("replay-match")),
      state.links.picture && make("a", { class: "big", href: state.links.picture, target: "_blank", rel: "noopener" }, icon("skyline"), say("share-picture")),
      state.links.record && make("a", { class: "big", href: state.links.record, download: `${state.game}-${state.table}.json` }, icon("copy"), say("download-record")),
    ),
  );
  open("sheet");
}

// --- what begins it all

function listen() {
  at("confirm").addEventListener("click", confirm);
  at("cancel").addEventListener("click", cancel);
  at("turn").addEventListener("click", () => {
    if (active() && picking.cycle(1)) showPicks();
  });
  at("take-back").addEventListener("click", takeBack);
  at("open-menu").addEventListener("click", openMenu);
  at("view-plan").addEventListener("click", () => setView("plan"));
  at("view-skyline").addEventListener("click", () => setView("skyline"));
  at("turn-left").addEventListener("click", () => turnSkyline(-1));
  at("turn-right").addEventListener("click", () => turnSkyline(1));
  at("zoom").addEventListener("click", () => {
    wholeCity = !wholeCity;
    showZoom();
  });
  at("lift").addEventListener("click", () => {
    look.seat = state.to_move;
    ask();
  });
  at("step-back").addEventListener("click", () => goTo(state.ply - 1));
  at("step-on").addEventListener("click", () => goTo(state.ply + 1));
  at("run").addEventListener("click", run);
  at("scrubber").addEventListener("input", (event) => {
    stop();
    goTo(Number(/** @type {HTMLInputElement} */ (event.target).value));
  });
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog")?.close());
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }
  document.addEventListener("keydown", key);
  document.addEventListener("pointerdown", () => (byKeyboard = false), true);
  onTheme(() => ask());
  wide.addEventListener("change", show);
  let resized = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(resized);
    resized = requestAnimationFrame(() => {
      showZoom();
      fitPanels();
    });
  });
}

let wasOver = state.status === "over";

function start() {
  const first = { view: state.view ?? "plan", theme: state.theme ?? "light", lang: state.lang };
  if (state.defs) {
    const shapes = at("definitions");
    state.defs.body ??= shapes.innerHTML;
    shapes.setAttribute("data-hash", state.defs.hash);
  }
  keepBodies(drawings(state));
  picking = new Picking(state.choices);
  listen();
  const as = first.view === look.view && first.theme === theme() && (look.view === "plan" || look.turn === (state.turn ?? 0));
  if (as) show();
  else ask();
  watch(
    [state.table],
    ({ seq }) => {
      if (seq > state.seq && !busy) ask();
    },
    () => {
      if (!busy) ask();
    },
  );
  new MutationObserver(() => {
    const over = document.body.classList.contains("over");
    if (over && !wasOver) openSheet();
    wasOver = over;
  }).observe(document.body, { attributeFilter: ["class"] });
}

start();
