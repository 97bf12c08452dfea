// Areas: pieces of the picture, kept by the hash of what they show, and put into the page as SVG.

/** @typedef {import("./types.js").Area} Area */
/** @typedef {import("./picking.js").Pairs} Pairs */
/** @typedef {[SVGGraphicsElement, number]} Thing what can be picked, and its number among those that stand for the same */
/**
 * How far an element can be touched, in the coordinates of its area, and what is drawn of it, in its own.
 * @typedef {{whole: DOMRect, drawn: DOMRect}} Boxes
 */

const SVG = "http://www.w3.org/2000/svg";
const KEPT = 80; // bodies; a question names at most as many
const PICK = "data-pick-";

/** @type {Map<string, string>} bodies by hash, the last used at the end */
const bodies = new Map();

/** The hashes of the bodies that are here. */
export function knownHashes() {
  return [...bodies.keys()];
}

/**
 * Keep the bodies that came; false if one is missing that the server thought was here.
 * @param {{hash: string, body: string | null}[]} areas
 */
export function keepBodies(areas) {
  for (const { hash, body } of areas) {
    const text = body ?? bodies.get(hash);
    if (text === undefined) return false;
    bodies.delete(hash);
    bodies.set(hash, text);
  }
  for (const hash of bodies.keys()) {
    if (bodies.size <= KEPT) break;
    bodies.delete(hash);
  }
  return true;
}

/**
 * Put the shapes that the bodies refer to into the page.
 * @param {{hash: string} | undefined} shapes
 */
export function useShapes(shapes) {
  const home = document.getElementById("definitions");
  if (!shapes || !home || home.getAttribute("data-hash") === shapes.hash) return;
  home.innerHTML = bodies.get(shapes.hash) ?? "";
  home.setAttribute("data-hash", shapes.hash);
}

/** One area in the page. */
export class AreaView {
  /** @param {Area} area */
  constructor(area) {
    this.area = area;
    const found = document.querySelector(`svg[data-area="${area.name}"]`);
    /** As the page came with it, or made now. @type {SVGSVGElement} */
    this.svg = found instanceof SVGSVGElement ? found : emptyArea(area);
    this.hash = this.svg.dataset.hash ?? "";
    const [body, top] = /** @type {[SVGGElement, SVGGElement]} */ (/** @type {unknown} */ ([...this.svg.children]));
    this.body = body;
    this.top = top; // ghosts and lines above the drawing
    this.svg.style.setProperty("--shape", `${area.width} / ${area.height}`);
    /** @type {[number, number, number, number]} */
    this.box = [0, 0, area.width, area.height];
    /** What will be seen once the way there is done. */
    this.goal = this.box;
    /** Whether it has little room, so that only what matters of it is seen. */
    this.small = false;
    this.frame = 0;
    /** What can be picked in the body that is shown. @type {Thing[] | null} */
    this.known = null;
    /** Where that is, once it has been measured. @type {Map<Element, Boxes>} */
    this.boxes = new Map();
  }

  /**
   * Show an area; what has not changed stays as it is.
   * @param {Area} area
   * @param {string} label
   */
  show(area, label) {
    this.area = area;
    this.svg.setAttribute("aria-label", label);
    if (this.hash === area.hash) return false;
    this.hash = area.hash;
    this.body.innerHTML = bodies.get(area.hash) ?? "";
    this.known = null;
    this.boxes.clear();
    this.svg.style.setProperty("--shape", `${area.width} / ${area.height}`);
    this.lookAtAll();
    return true;
  }

  /** Everything that can ever be picked here. */
  elements() {
    return this.things().map(([one]) => one);
  }

  /** The same, each with its number among those that stand for the same. */
  things() {
    this.known ??= numbered(
      /** @type {NodeListOf<SVGGraphicsElement>} */ (this.body.querySelectorAll("[role=button]")),
    );
    return this.known;
  }

  /**
   * Where an element is, without the frame that it has only while it is lit.
   * @param {SVGGraphicsElement} element
   */
  boxesOf(element) {
    return this.boxes.get(element) ?? { whole: this.boxNow(element), drawn: drawnOf(element) };
  }

  /**
   * Note where all is that can be picked, before anything of it is lit.  A browser lays out anew
   * whenever it is asked after a change, so all are measured at once, and once; an area that has no
   * room in the page when it has.
   */
  measure() {
    const all = this.elements();
    if (!this.body.childElementCount || this.boxes.size >= all.length) return;
    const boxes = all.map((one) => ({ whole: this.boxNow(one), drawn: drawnOf(one) }));
    if (!boxes.some(({ whole }) => whole.width || whole.height)) return;
    all.forEach((one, nth) => this.boxes.set(one, boxes[nth]));
  }

  /**
   * Look at a part of the area alone.
   * @param {[number, number, number, number]} box
   */
  look(box) {
    if (this.svg.hasAttribute("viewBox") && this.goal.every((n, i) => n === box[i])) return;
    cancelAnimationFrame(this.frame);
    this.goal = box;
    const from = this.box;
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (still || !this.svg.isConnected || from.every((n, i) => n === box[i])) {
      this.box = box;
      this.svg.setAttribute("viewBox", box.join(" "));
      this.svg.classList.remove("moving");
      return;
    }
    // The clock of frames may be behind that of scripts: the first frame is the beginning.
    /** @type {number | undefined} */
    let start;
    /** @param {number} now */
    const step = (now) => {
      start ??= now;
      const part = Math.min(1, (now - start) / 260);
      const ease = 1 - (1 - part) ** 3;
      this.box = /** @type {[number, number, number, number]} */ (
        box.map((goal, i) => from[i] + (goal - from[i]) * ease)
      );
      this.svg.setAttribute("viewBox", this.box.join(" "));
      if (part < 1) this.frame = requestAnimationFrame(step);
      else {
        this.box = box; // there: nothing has to be set to be seen at rest
        this.svg.classList.remove("moving");
      }
    };
    this.svg.classList.add("moving");
    this.frame = requestAnimationFrame(step);
  }

  /**
   * Do something while the area is seen as it will be once the way there is done.
   * @param {() => void} then
   */
  atRest(then) {
    const moving = this.box !== this.goal;
    if (moving) this.svg.setAttribute("viewBox", this.goal.join(" "));
    then();
    if (moving) this.svg.setAttribute("viewBox", this.box.join(" "));
  }

  /** All that there is room for again. */
  lookAtAll() {
    this.look((this.small && /** @type {[number, number, number, number] | null} */ (this.area.crop)) || [0, 0, this.area.width, this.area.height]);
    return false;
  }

  /**
   * Come closer, so that what can be picked is large enough for a finger, but all of it is seen.
   * @param {SVGGraphicsElement[]} targets
   * @param {number} least in pixels
   * @returns {boolean} whether a part alone is seen now
   */
  lookAt(targets, least) {
    if (!targets.length) return this.lookAtAll();
    const { width, height } = this.area;
    const room = this.svg.getBoundingClientRect();
    const boxes = targets.map((one) => this.boxOf(one));
    if (!room.width) return this.lookAtAll();
    const pixels = Math.min(room.width / width, room.height / height);
    const small = Math.min(...boxes.map((box) => Math.min(box.width, box.height))) * pixels;
    const left = Math.min(...boxes.map((box) => box.x));
    const top = Math.min(...boxes.map((box) => box.y));
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    const margin = 14;
    const factor = Math.min(
      (least + 2) / small,
      width / (right - left + 2 * margin),
      height / (bottom - top + 2 * margin),
    );
    if (small >= least || !(factor > 1.01)) return this.lookAtAll();
    const [w, h] = [width / factor, height / factor];
    const [cityX, cityY, cityWidth, cityHeight] = this.area.crop ?? [0, 0, width, height];
    const x = beginning(cityX + cityWidth / 2, left - margin, right + margin, w, width);
    const y = beginning(cityY + cityHeight / 2, top - margin, bottom + margin, h, height);
    this.look([x, y, w, h]);
    return true;
  }

  /**
   * Where an element is, in the coordinates of the area.
   * @param {SVGGraphicsElement} element
   */
  boxOf(element) {
    return this.boxesOf(element).whole;
  }

  /** @param {SVGGraphicsElement} element */
  boxNow(element) {
    return boxIn(this.body, element);
  }
}

/**
 * Where an element is, in the coordinates of another.
 * @param {SVGGraphicsElement} space
 * @param {SVGGraphicsElement} element
 */
function boxIn(space, element) {
  const box = element.getBBox();
  const [own, root] = [element.getCTM(), space.getCTM()];
  if (!own || !root) return box;
  const matrix = root.inverse().multiply(own);
  const corners = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x, box.y + box.height],
    [box.x + box.width, box.y + box.height],
  ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return new DOMRect(x, y, Math.max(...xs) - x, Math.max(...ys) - y);
}

/**
 * Where a part of so much begins that has all from `first` to `last` in it, as near to the middle of the city as can
 * be: what can be picked often lies at an edge, and most that would be seen beside it is empty.
 * @param {number} middle
 * @param {number} first
 * @param {number} last
 * @param {number} part
 * @param {number} whole
 */
function beginning(middle, first, last, part, whole) {
  const near = Math.min(Math.max(middle - part / 2, last - part), first);
  return Math.min(Math.max(near, 0), whole - part);
}

/** @param {Area} area */
function emptyArea(area) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `area ${area.kind}`);
  svg.setAttribute("data-area", area.name);
  svg.setAttribute("role", "group");
  const top = document.createElementNS(SVG, "g");
  top.setAttribute("class", "above");
  svg.append(document.createElementNS(SVG, "g"), top);
  return svg;
}

/**
 * The body of an area that the page came with, before anything in it is marked.
 * @param {string} name
 */
export const bodyInPage = (name) => document.querySelector(`svg[data-area="${name}"] > g`)?.innerHTML ?? null;

/** What elements stand for, which never changes. @type {WeakMap<Element, Pairs>} */
const meanings = new WeakMap();

/**
 * What an element stands for.
 * @param {Element} element
 */
export function pairsOf(element) {
  const pairs = meanings.get(element) ?? readPairs(element);
  meanings.set(element, pairs);
  return pairs;
}

/**
 * @param {Element} element
 * @returns {Pairs}
 */
const readPairs = (element) =>
  [...element.attributes]
    .filter(({ name }) => name.startsWith(PICK))
    .map(({ name, value }) => [name.slice(PICK.length), value]);

/**
 * @param {Iterable<SVGGraphicsElement>} elements
 * @returns {Thing[]}
 */
function numbered(elements) {
  /** @type {Map<string, number>} */
  const copies = new Map();
  return [...elements]
    .filter((one) => pairsOf(one).length)
    .map((one) => {
      const name = JSON.stringify(pairsOf(one));
      const copy = copies.get(name) ?? 0;
      copies.set(name, copy + 1);
      return [one, copy];
    });
}

/**
 * What is drawn of an element, in its own coordinates: without what makes a group easier to touch.  Nothing is changed
 * for that, as the browser would lay out anew.
 * @param {SVGGraphicsElement} element
 */
function drawnOf(element) {
  if (!element.querySelector(":scope > .reach")) return element.getBBox();
  const parts = /** @type {SVGGraphicsElement[]} */ ([...element.children].filter((one) => !one.matches("title, .reach")));
  return unionOf(parts.map((one) => boxIn(element, one)));
}

/**
 * What lies around boxes.
 * @param {DOMRect[]} boxes
 */
export function unionOf(boxes) {
  const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
  const [right, bottom] = [Math.max(...boxes.map((box) => box.right)), Math.max(...boxes.map((box) => box.bottom))];
  return new DOMRect(left, top, right - left, bottom - top);
}

const SLOPE = 15 / 26; // of the ground seen from the air, as high as it is wide

/**
 * A mark on the ground below what stands on it, seen from the air: over the ground, under the rest.
 * @param {SVGGraphicsElement} element
 * @param {DOMRect} box what is drawn of it
 */
function markGround(element, { x, y, width, height }) {
  if (!width || !height) return;
  const [middle, half] = [x + width / 2, (width / 2) * 1.06];
  const low = y + height - (width / 2) * SLOPE;
  const corners = [[0, -SLOPE], [1, 0], [0, SLOPE], [-1, 0]];
  const mark = document.createElementNS(SVG, "polygon");
  mark.setAttribute("class", "mark on-ground");
  mark.setAttribute("points", corners.map(([a, b]) => `${middle + a * half},${low + b * half}`).join(" "));
  const isFlat = height <= width * SLOPE * 1.15;
  if (isFlat) element.append(mark);
  else if (element.children.length > 1) element.children[0].after(mark);
  else element.prepend(mark);
}

/**
 * A frame around a group that can be picked; other shapes are lit by their own outline.
 * @param {SVGGraphicsElement} element
 * @param {AreaView} view
 * @param {boolean} [fromTheAir] whether it stands in a city that is seen from the air
 */
export function frame(element, view, fromTheAir = false) {
  if (element.tagName !== "g") return;
  if (element.querySelector(":scope > .mark")) return;
  const { drawn } = view.boxesOf(element);
  if (fromTheAir) return markGround(element, drawn);
  const { x, y, width, height } = drawn;
  if (!width || !height) return;
  const place = { x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 7 };
  const standing = view.area.kind === "city" ? element.querySelector(":scope > [data-piece]") : null;
  if (!standing) return element.append(rectangle("mark", place));
  // What stands there keeps its colour: the ground around it is filled, the line goes over all.
  standing.before(rectangle("mark under", place));
  element.append(rectangle("mark over", place));
}

/**
 * @param {string} kind
 * @param {Record<string, number>} place
 */
function rectangle(kind, place) {
  const made = document.createElementNS(SVG, "rect");
  made.setAttribute("class", kind);
  for (const [key, value] of Object.entries(place)) made.setAttribute(key, String(value));
  return made;
}

/**
 * @param {SVGGraphicsElement} element
 */
export function unframe(element) {
  for (const mark of element.querySelectorAll(":scope > .mark")) mark.remove();
}

/**
 * The ghost of something picked, on the place where it would be put.
 * @param {SVGGraphicsElement} thing in a hand or a supply
 * @param {SVGGraphicsElement} place in a city
 * @param {AreaView} view the area of the place
 * @param {number} turn in quarters
 * @param {string | null} [becomes] what will stand there, in short
 */
export function ghost(thing, place, view, turn, becomes) {
  const copy = document.createElementNS(SVG, "g");
  copy.setAttribute("class", "ghost");
  // It stands for the thing: in the next picture that comes from here.
  const [known, supply] = [thing.closest("[data-piece]") ?? thing.querySelector("[data-piece]"), thing.querySelector("[data-place]")];
  if (known) copy.setAttribute("data-piece", known.getAttribute("data-piece") ?? "");
  if (supply) copy.setAttribute("data-place", supply.getAttribute("data-place") ?? "");
  const inner = document.createElementNS(SVG, "g");
  // A group that begins with a group is one piece with its captions or copies: the piece is meant.
  const parts = [...thing.children].filter((one) => !one.matches(".mark, .reach"));
  const one = parts[0]?.tagName === "g";
  for (const part of one ? parts.slice(0, 1) : parts) inner.append(part.cloneNode(true));
  copy.append(inner);
  view.top.append(copy);
  const box = view.boxOf(place);
  const own = inner.getBBox();
  const fit = Math.min(box.width / own.width, box.height / own.height);
  // The drawing's scale where the place lies: a tile that is as large as its place keeps its size.
  const matrix = place.getCTM();
  const root = view.body.getCTM();
  const scale = matrix && root ? Math.hypot(matrix.a, matrix.b) / Math.hypot(root.a, root.b) : 1;
  const ratio = fit / scale;
  const size = ratio > 0.75 && ratio < 1.3 ? scale : fit * 0.72;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  inner.setAttribute(
    "transform",
    `translate(${x} ${y}) rotate(${90 * turn}) scale(${size}) ` +
      `translate(${-own.x - own.width / 2} ${-own.y - own.height / 2})`,
  );
  if (becomes) copy.append(sign(becomes, x, y + box.height * 0.24, box));
  return copy;
}

/**
 * Short words as large as their place allows, on a plate.
 * @param {string} words
 * @param {number} x
 * @param {number} y
 * @param {DOMRect} box
 */
function sign(words, x, y, box) {
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", "becomes");
  group.setAttribute("transform", `translate(${x} ${y})`);
  const size = Math.min(box.height * 0.3, (box.width * 1.1) / Math.max(words.length, 3));
  const [wide, high] = [size * (0.62 * words.length + 0.5), size * 1.25];
  const back = document.createElementNS(SVG, "rect");
  for (const [key, value] of Object.entries({ x: -wide / 2, y: -high / 2, width: wide, height: high, rx: size * 0.25 })) {
    back.setAttribute(key, String(value));
  }
  const text = document.createElementNS(SVG, "text");
  text.setAttribute("y", String(size * 0.35));
  text.setAttribute("text-anchor", "middle");
  text.setAttribute("font-size", String(size));
  text.textContent = words;
  group.append(back, text);
  return group;
}

/**
 * A dashed line between two places, with a word on it.
 * @param {SVGGraphicsElement} one
 * @param {SVGGraphicsElement} two
 * @param {AreaView} view
 * @param {string} word
 */
export function line(one, two, view, word) {
  const [a, b] = [one, two].map((end) => {
    const box = view.boxOf(end);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
  const drawn = document.createElementNS(SVG, "g");
  drawn.setAttribute("class", "link");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", `M${a.x} ${a.y}L${b.x} ${b.y}`);
  drawn.append(path);
  if (word) drawn.append(badge(word, (a.x + b.x) / 2, (a.y + b.y) / 2, view));
  view.top.append(drawn);
}

/**
 * Short words on a disc, line by line, wholly within what is seen of its area.
 * @param {string} word
 * @param {number} x
 * @param {number} y
 * @param {AreaView} view
 */
function badge(word, x, y, view) {
  return badgeAt(word, view, () => [[x, y]]);
}

/**
 * Such a badge beside something, as near as can be without lying on other things.
 * @param {string} word
 * @param {DOMRect} box
 * @param {AreaView} view
 * @param {DOMRect[]} taken where those lie; it is added to them
 */
export const badgeBeside = (word, box, view, taken) =>
  badgeAt(word, view, (wide, high) => besides(box, wide, high), taken);

/**
 * @param {string} word
 * @param {AreaView} view
 * @param {(wide: number, high: number) => number[][]} placesFor the best first, for such a size
 * @param {DOMRect[]} [taken]
 */
function badgeAt(word, view, placesFor, taken = []) {
  const lines = word.split("\n");
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", lines.length > 1 || word.length > 4 ? "badge words" : "badge");
  const [left, top, width, height] = view.goal;
  const near = width / view.area.width; // where the board is seen from nearer, words are as large as ever
  const letter = group.matches(".words") ? 7.4 : 9;
  const wide = Math.max(22, letter * Math.max(...lines.map((line) => line.length)) + 10);
  const high = 8 + 14 * lines.length;
  const [aside, above] = [near * (wide / 2 + 2), near * (high / 2 + 2)]; // with its outline
  const places = placesFor(2 * aside, 2 * above).map(([x, y]) => [
    within(x, left + aside, left + width - aside),
    within(y, top + above, top + height - above),
  ]);
  const boxes = places.map(([x, y]) => new DOMRect(x - aside, y - above, 2 * aside, 2 * above));
  const free = boxes.findIndex((box) => !taken.some((other) => overlap(box, other)));
  const nth = Math.max(free, 0);
  taken.push(boxes[nth]);
  group.setAttribute("transform", `translate(${places[nth].join(" ")}) scale(${near})`);
  group.append(rectangle("", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: 11 }));
  lines.forEach((line, nth) => {
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("y", String(5 + 14 * (nth - (lines.length - 1) / 2)));
    text.setAttribute("text-anchor", "middle");
    text.textContent = line;
    group.append(text);
  });
  return group;
}

/**
 * The middles of places for something of a size around a box, and around those: at its upper corner if it is small,
 * above, beside, below it.
 * @param {DOMRect} box
 * @param {number} wide
 * @param {number} high
 */
function besides({ left, right, top, bottom, width }, wide, high) {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const rows = [top - high / 2, bottom + high / 2, y, top - high * 1.5, bottom + high * 1.5];
  const columns = [x, right + wide / 2, left - wide / 2];
  const corner = wide < width ? [[right - 4, top + 4]] : [];
  return [...corner, ...rows.flatMap((row) => columns.map((column) => [column, row]))];
}

/**
 * @param {DOMRect} one
 * @param {DOMRect} two
 */
const overlap = (one, two) =>
  one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom;

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
const within = (value, least, most) => Math.max(least, Math.min(value, most));
