// Moves move: what lies elsewhere in the next picture travels there.
//
// Two pictures are compared by the names of their pieces (data-piece).  What is in both travels, what
// is new comes from its place (data-from) or fades in, what is gone goes to its place (data-to) or
// fades out, and what has got another owner turns.  Copies fly in a layer above the page, the things
// themselves are only see-through meanwhile: they can be clicked, and nobody waits for a flight.

import { at } from "./dom.js";
import { pointsSign } from "./flags.js";
import { now, views } from "./now.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./areas.js").AreaView} AreaView */
/**
 * A thing in a picture; it is seen if its area is, and has frames if that takes room in the page.
 * @typedef {{elements: SVGGraphicsElement[], frames: (DOMMatrix | null)[], box: DOMRect, view: AreaView, seen: boolean, owner: string, look: string}} Thing
 */
/** @typedef {{things: Map<string, Thing>, places: Map<string, DOMRect>, looks: Map<string, [SVGGraphicsElement, DOMMatrix | null]>, seen: Map<AreaView, DOMRect>}} Picture */
/** @typedef {{shown: SVGGraphicsElement[], copies: Element[], runs: Animation[], alarm: number}} Flight */

const SVG = "http://www.w3.org/2000/svg";
const WAY = 420; // milliseconds that a thing is under way
const IN_A_QUEUE = 220; // where the one before was still under way
const TURN = 300;
const FADE = 200;
const BETWEEN = 90; // from one thing that sets out to the next
const GRACE = 500; // after which a flight that should be over is ended
const MOST_MOVES = 12; // between two pictures; what is further apart is another scene
const NEAR = 3; // pixels that are no way

const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");

/** How many times as quick things move. */
let haste = 1;

/** Let things move so many times as quickly. @param {number} speed */
export function hasten(speed) {
  haste = speed;
}

/** All that is under way. @type {Set<Flight>} */
const flights = new Set();

/** Whether anything is under way. */
export const isMoving = () => flights.size > 0;

/** Everybody who asked for no motion gets none. */
export const isStill = () => stillness.matches;

// --- what a picture shows

/**
 * Where everything is in the page now, in the place where it comes to rest.
 * @returns {Picture}
 */
export function remember() {
  /** @type {Picture} */
  const picture = { things: new Map(), places: new Map(), looks: new Map(), seen: new Map() };
  for (const view of views.values()) view.atRest(() => rememberArea(view, picture));
  return picture;
}

/**
 * @param {AreaView} view
 * @param {Picture} picture
 */
function rememberArea(view, { things, places, looks, seen: areas }) {
  const seen = view.svg.checkVisibility({ visibilityProperty: true });
  const whole = view.svg.getBoundingClientRect();
  if (seen) areas.set(view, whole); // what lies behind a tab neither comes nor goes
  const room = whole.width > 0;
  const home = room ? null : seatBox(view);
  if (!room && !home) return;
  for (const one of /** @type {NodeListOf<SVGGraphicsElement>} */ (view.body.querySelectorAll("[data-place]"))) {
    const name = one.dataset.place ?? "";
    if (places.has(name)) continue;
    places.set(name, one.getBoundingClientRect());
    looks.set(name, [one, frameOf(one)]);
  }
  for (const one of /** @type {NodeListOf<SVGGraphicsElement>} */ (view.body.querySelectorAll("[data-piece]"))) {
    const name = one.dataset.piece ?? "";
    const known = things.get(name);
    const box = home ?? one.getBoundingClientRect();
    if (!known || known.view !== view) {
      const thing = { elements: [one], frames: [frameOf(one)], box, view, seen, owner: one.dataset.owner ?? "", look: one.innerHTML };
      if (!known || view.area.kind === "city") things.set(name, thing);
      continue;
    }
    known.elements.push(one);
    known.frames.push(frameOf(one));
    known.box = around(known.box, box);
  }
  // What is seen where it would be put is there already.
  for (const one of /** @type {NodeListOf<SVGGraphicsElement>} */ (view.top.querySelectorAll(".ghost"))) {
    const thing = things.get(one.dataset.piece ?? "");
    if (thing) thing.box = one.getBoundingClientRect();
    if (one.dataset.place) places.set(one.dataset.place, one.getBoundingClientRect());
  }
}

/** A city that has no room on a small screen is where its seat is named. @param {AreaView} view */
const seatBox = ({ area }) =>
  area.seat === null ? null : (document.querySelector(`#seats [data-seat="${area.seat}"]`)?.getBoundingClientRect() ?? null);

/** The coordinates in which an element is drawn. @param {SVGGraphicsElement} element */
function frameOf(element) {
  const parent = /** @type {SVGGraphicsElement} */ (/** @type {unknown} */ (element.parentNode));
  return parent.getScreenCTM();
}

/**
 * @param {DOMRect} one
 * @param {DOMRect} two
 */
function around(one, two) {
  if (!two.width && !two.height) return one;
  const [left, top] = [Math.min(one.left, two.left), Math.min(one.top, two.top)];
  return new DOMRect(left, top, Math.max(one.right, two.right) - left, Math.max(one.bottom, two.bottom) - top);
}

// --- comparing two pictures

/**
 * Whether two states are two moments of the same scene, so that what differs has moved.
 * @param {State} before
 * @param {State} after
 */
export function isOneScene(before, after) {
  const alike = /** @type {const} */ (["table", "viewer", "view", "turn", "theme", "lang"]);
  const apart = Math.abs(after.ply - before.ply);
  return alike.every((key) => before[key] === after[key]) && apart > 0 && apart <= MOST_MOVES && !before.moment && !after.moment;
}

/**
 * Let everything travel from where it was to where it is.
 * @param {Picture} before
 * @param {State} then the state that was shown before
 */
export function move(before, then) {
  const hurry = isMoving();
  endAll();
  if (isStill() || document.hidden || !isOneScene(then, now.state)) return;
  const after = remember();
  const seats = seatSums();
  const way = hurry ? IN_A_QUEUE : WAY;
  const shifted = shiftedViews(before, after);
  const order = [...new Set(now.state.log.filter(({ ply }) => ply > then.ply).flatMap(({ pieces }) => pieces))];
  /** When each thing that travels has arrived. @type {Map<Element, number>} */
  const landings = new Map();
  let late = 0;
  for (const [name, thing] of sorted(after.things, order)) {
    const source = sourceOf(name, thing, before, shifted);
    if (!source) continue;
    fly(thing, source, name, before, way, late);
    for (const one of thing.elements) landings.set(one, late + way);
    late = Math.min(late + BETWEEN, 4 * BETWEEN);
  }
  for (const [name, thing] of after.things) {
    if (before.seen.has(thing.view)) change(before.things.get(name), thing, landings, shifted);
  }
  for (const [name, thing] of before.things) {
    if (!after.things.has(name) && after.seen.has(thing.view) && !shifted.has(thing.view)) leave(thing, after, way);
  }
  if (!now.scene) sendPoints(then, after, order, late + way / 2, seats);
}

/**
 * What was moved first travels first.
 * @param {Map<string, Thing>} things
 * @param {string[]} order
 */
function sorted(things, order) {
  const rank = (/** @type {string} */ name) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...things].sort(([one], [two]) => rank(one) - rank(two));
}

/**
 * The areas in which most things lie elsewhere: they are seen from nearer or farther, nothing has moved.
 * @param {Picture} before
 * @param {Picture} after
 */
function shiftedViews(before, after) {
  /** @type {Map<AreaView, [number, number]>} */
  const counts = new Map();
  for (const [name, { view, box }] of after.things) {
    const known = before.things.get(name);
    if (known?.view !== view) continue;
    const [moved, all] = counts.get(view) ?? [0, 0];
    counts.set(view, [moved + Number(isAway(known.box, box)), all + 1]);
  }
  const shifted = [...counts].filter(([, [moved, all]]) => moved > all / 2 && (moved > 3 || moved === all));
  const resized = [...after.seen].filter(([view, box]) => isResized(before.seen.get(view), box));
  return new Set([...shifted, ...resized].map(([view]) => view));
}

/**
 * @param {DOMRect | undefined} one
 * @param {DOMRect} two
 */
const isResized = (one, two) =>
  one !== undefined && (isAway(one, two) || Math.abs(one.width - two.width) > NEAR || Math.abs(one.height - two.height) > NEAR);

/**
 * @param {DOMRect} one
 * @param {DOMRect} two
 */
function isAway(one, two) {
  const [dx, dy] = [one.x + one.width / 2 - two.x - two.width / 2, one.y + one.height / 2 - two.y - two.height / 2];
  return Math.hypot(dx, dy) > NEAR;
}

/**
 * From where a thing has come; null if it has not moved, or nobody can say.
 * @param {string} name
 * @param {Thing} thing
 * @param {Picture} before
 * @param {Set<AreaView>} shifted
 */
function sourceOf(name, thing, before, shifted) {
  const known = before.things.get(name);
  if (known?.view === thing.view && shifted.has(thing.view)) return null;
  if (!thing.seen && !known?.seen) return null; // from one hidden panel to another
  const box = known ? known.box : before.places.get(thing.elements[0].dataset.from ?? "");
  return box && box.width > 0 && thing.box.width > 0 && isAway(box, thing.box) ? box : null;
}

// --- what a thing does

/**
 * A thing travels: its copy does, and it is seen again once that has arrived.
 * @param {Thing} thing
 * @param {DOMRect} from
 * @param {string} name
 * @param {Picture} before
 * @param {number} way
 * @param {number} late
 */
function fly(thing, from, name, before, way, late) {
  const { copy, box, goal } = lookOf(thing, name, before);
  const start = onto(box, from);
  const end = onto(box, goal);
  run(thing.elements, [[copy, [{ transform: start }, { transform: end }], { duration: way, delay: late, easing: "cubic-bezier(.3,0,.2,1)" }]], "travels");
}

/**
 * How a thing looks on its way: as where it arrives, as in its supply where that is larger, or as it
 * was where it arrives unseen.
 * @param {Thing} thing
 * @param {string} name
 * @param {Picture} before
 */
function lookOf(thing, name, before) {
  const [kind] = name.split(":");
  const supply = name.includes(":") && !before.things.has(name) ? before.looks.get(kind) : undefined;
  const place = before.places.get(kind);
  if (supply && place && place.width * place.height > thing.box.width * thing.box.height) {
    const { x, y, width, height } = thing.box;
    const goal = new DOMRect(x + width / 2 - place.width / 2, y + height / 2 - place.height / 2, place.width, place.height);
    return { copy: copyOf([supply[0]], [supply[1]]), box: place, goal };
  }
  const was = before.things.get(name);
  if (!thing.seen && was) return { copy: copyOf(was.elements, was.frames), box: was.box, goal: thing.box };
  return { copy: copyOf(thing.elements, thing.frames), box: thing.box, goal: thing.box };
}

/**
 * A thing that is new fades in, one that looks different is changed, one with another owner turns;
 * each after what travels to it has arrived.
 * @param {Thing | undefined} was
 * @param {Thing} thing
 * @param {Map<Element, number>} landings
 * @param {Set<AreaView>} shifted
 */
function change(was, thing, landings, shifted) {
  if (thing.elements.some((one) => landings.has(one))) return;
  const inside = [...landings].filter(([one]) => thing.elements.some((element) => element.contains(one)));
  const delay = Math.max(0, ...inside.map(([, landing]) => landing - FADE / 2));
  const appear = { opacity: [0, 1] };
  if (!thing.seen) return;
  if (!was) {
    run(thing.elements, [[copyOf(thing.elements, thing.frames), appear, { duration: FADE, delay }]], "appears");
  } else if (was.view !== thing.view || shifted.has(thing.view)) {
    return;
  } else if (was.owner !== thing.owner) {
    turnOver(was, thing, delay);
  } else if (was.look !== thing.look && inside.length) {
    const old = copyOf(was.elements, was.frames);
    const made = copyOf(thing.elements, thing.frames);
    run(thing.elements, [
      [old, { opacity: [1, 1] }, { duration: delay + FADE }],
      [made, appear, { duration: FADE, delay }],
    ], "changes");
  }
}

/**
 * A thing turns to show its new owner.
 * @param {Thing} was
 * @param {Thing} thing
 * @param {number} delay
 */
function turnOver(was, thing, delay) {
  const half = TURN / 2;
  run(thing.elements, [
    [copyOf(was.elements, was.frames), edgeways(was.box), { duration: half, delay, easing: "ease-in" }],
    [copyOf(thing.elements, thing.frames), edgeways(thing.box).reverse(), { duration: half, delay: delay + half, easing: "ease-out" }],
  ], "turns");
}

/** From as it is to seen from its edge. @param {DOMRect} box */
const edgeways = (box) => [
  { transform: "translate(0px, 0px) scale(1, 1)", opacity: 1 },
  { transform: `translate(${box.x + box.width / 2}px, 0px) scale(0.02, 1)`, opacity: 1 },
];

/**
 * A thing that is gone goes to its place, or fades.
 * @param {Thing} thing
 * @param {Picture} after
 * @param {number} way
 */
function leave(thing, after, way) {
  const copy = copyOf(thing.elements, thing.frames);
  const to = after.places.get(thing.elements[0].dataset.to ?? "");
  const keyframes = to ? { transform: [onto(thing.box, thing.box), onto(thing.box, to)], opacity: [1, 0.4] } : { opacity: [1, 0] };
  run([], [[copy, keyframes, { duration: to ? way : FADE, easing: "ease-in-out" }]], to ? "leaves" : "goes");
}

/**
 * What brings a box onto another, as a transform in the layer; it keeps its shape.
 * @param {DOMRect} box
 * @param {DOMRect} to
 */
function onto(box, to) {
  const size = Math.min(Math.max(Math.min(to.width / box.width, to.height / box.height) || 1, 0.1), 8);
  const [x, y] = [to.x + to.width / 2 - size * (box.x + box.width / 2), to.y + to.height / 2 - size * (box.y + box.height / 2)];
  return `translate(${x}px, ${y}px) scale(${size}, ${size})`;
}

// --- the layer

const OWN = ["data-piece", "data-place", "data-from", "data-to", "data-owner", "role", "tabindex", "aria-label", "aria-disabled", "aria-pressed"];

/**
 * A copy of elements in the layer, exactly above them.
 * @param {SVGGraphicsElement[]} elements
 * @param {(DOMMatrix | null)[]} frames
 */
function copyOf(elements, frames) {
  const copy = document.createElementNS(SVG, "g");
  elements.forEach((element, nth) => {
    const frame = document.createElementNS(SVG, "g");
    const { a, b, c, d, e, f } = frames[nth] ?? new DOMMatrix();
    frame.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
    const clone = /** @type {SVGGraphicsElement} */ (element.cloneNode(true));
    clone.style.removeProperty("opacity");
    for (const one of [clone, ...clone.querySelectorAll("*")]) strip(one);
    frame.append(clone);
    copy.append(frame);
  });
  return copy;
}

/** Nothing of a copy can be picked or is spoken. @param {Element} element */
function strip(element) {
  for (const { name } of [...element.attributes]) if (OWN.includes(name) || name.startsWith("data-pick-")) element.removeAttribute(name);
  element.classList.remove("can", "may", "picked", "implied", "no");
  if (element.matches(".mark, .reach")) element.remove();
}

/**
 * Run animations of copies in the layer, and show what they stand for when all have ended.  One that
 * does not end in its time is ended.
 * @param {SVGGraphicsElement[]} shown what is see-through meanwhile
 * @param {[Element, Keyframe[] | PropertyIndexedKeyframes, KeyframeAnimationOptions][]} parts
 * @param {string} kind
 */
function run(shown, parts, kind) {
  const layer = at("motion");
  const runs = parts.map(([copy, keyframes, options]) => {
    copy.setAttribute("data-moves", kind);
    layer.append(copy);
    const moves = copy.animate(keyframes, { fill: "both", ...options });
    moves.playbackRate = haste;
    return moves;
  });
  const longest = Math.max(...parts.map(([, , { delay = 0, duration = 0 }]) => Number(delay) + Number(duration))) / haste;
  /** @type {Flight} */
  const flight = { shown, copies: parts.map(([copy]) => copy), runs, alarm: 0 };
  flight.alarm = window.setTimeout(() => end(flight), longest + GRACE); // the guard against one that hangs
  for (const one of shown) one.style.opacity = "0";
  flights.add(flight);
  Promise.all(runs.map((one) => one.finished)).then(() => end(flight), () => {});
}

/** @param {Flight} flight */
function end(flight) {
  if (!flights.delete(flight)) return;
  clearTimeout(flight.alarm);
  for (const one of flight.runs) one.cancel();
  for (const one of flight.copies) one.remove();
  for (const one of flight.shown) one.style.removeProperty("opacity");
}

/** Everything is at once where it goes. */
export function endAll() {
  for (const flight of [...flights]) end(flight);
}

/**
 * Let something in the page arrive from a box.
 * @param {SVGGraphicsElement} element
 * @param {DOMRect} from
 */
export function arrive(element, from) {
  const box = element.getBoundingClientRect();
  if (isStill() || document.hidden || !from.width || !box.width || !isAway(from, box)) return;
  const copy = copyOf([element], [frameOf(element)]);
  run([element], [[copy, [{ transform: onto(box, from) }, { transform: onto(box, box) }], { duration: WAY, easing: "cubic-bezier(.3,0,.2,1)" }]], "travels");
}

// --- points

/** Where the sums of seats are; asked before anything sets out, as a browser lays out anew after that. */
const seatSums = () =>
  new Map(
    [...document.querySelectorAll("#seats [data-seat]")].map((one) => [
      Number(one.getAttribute("data-seat")),
      (one.querySelector(".sum") ?? one).getBoundingClientRect(),
    ]),
  );

/**
 * What seats have won or lost flies to them from where it was made.
 * @param {State} then
 * @param {Picture} after
 * @param {string[]} order
 * @param {number} delay
 * @param {Map<number, DOMRect>} seats
 */
function sendPoints(then, after, order, delay, seats) {
  const last = order.map((name) => after.things.get(name)).filter((thing) => thing !== undefined).at(-1);
  for (const { seat, total } of now.state.scores) {
    const points = total - (then.scores.find((score) => score.seat === seat)?.total ?? 0);
    const goal = seats.get(seat);
    if (points && goal) flyPoints(points, last?.box ?? at("cities").getBoundingClientRect(), goal, delay);
  }
}

/**
 * @param {number} points
 * @param {DOMRect} from
 * @param {DOMRect} to
 * @param {number} delay
 */
export function flyPoints(points, from, to, delay) {
  if (isStill() || document.hidden) return;
  const copy = pointsSign(points);
  const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
  const [u, v] = [to.x + to.width / 2, to.y + to.height / 2];
  const keyframes = [
    { transform: `translate(${x}px, ${y}px) scale(.4)`, opacity: 0 },
    { transform: `translate(${x}px, ${y - 18}px) scale(1.5)`, opacity: 1, offset: 0.35 },
    { transform: `translate(${u}px, ${v}px) scale(.8)`, opacity: 0.9 },
  ];
  run([], [[copy, keyframes, { duration: 2 * WAY, delay, easing: "ease-in-out" }]], "points");
}

window.addEventListener("resize", endAll);
