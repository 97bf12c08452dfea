// Scores: the running ones with their parts, and the sheet that explains every point at the end.

import { icon, make } from "./dom.js";
import { winnersNow } from "./now.js";
import { ruleLink } from "./rules.js";
import { figure, say } from "./texts.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Score} Score */
/** @typedef {import("./types.js").ScorePart} ScorePart */
/** @typedef {import("./types.js").Seat} Seat */

/** @param {number} points */
export const signed = (points) => (points > 0 ? `+${points}` : figure(points));

/**
 * A seat's number in a disc.
 * @param {number} seat
 */
export const disc = (seat) => make("span", { class: "disc", "aria-hidden": "true" }, String(seat + 1));

/** The face of who sits somewhere; the name beside it says who. @param {string | null | undefined} url */
export const face = (url) => url && make("img", { class: "icon face", src: url, alt: "", width: 24, height: 24 });

/** The sign of who has won. */
export function crown() {
  const sign = icon("crown");
  sign.classList.add("crown");
  return sign;
}

/**
 * The letters of the colours that a seat plays, where the game has such.
 * @param {Seat | undefined} seat
 */
export const badges = (seat) =>
  (seat?.badges ?? []).map(({ text, fill, ink }) => {
    const badge = make("span", { class: "letter", "aria-hidden": "true" }, text);
    badge.style.background = fill;
    badge.style.color = ink;
    return badge;
  });

/** @param {ScorePart} part */
const canLight = (part) => part.highlight.length > 0;

/**
 * The parts of a score; a part clicked lights up what it counts.
 * @param {Score} score
 * @param {string | null} lit
 * @param {(part: string | null) => void} light
 */
function partsOf(score, lit, light) {
  const rows = score.parts.map((part, nth) => {
    const name = `${score.seat}.${nth}`;
    const words = [
      make("span", { class: "label" }, part.label),
      make("span", { class: "points" }, signed(part.points)),
    ];
    if (!canLight(part)) return make("li", {}, make("span", { class: "part" }, ...words), ruleLink(part.rule));
    return make(
      "li",
      {},
      make(
        "button",
        {
          type: "button",
          class: "part",
          "data-part": name,
          "aria-pressed": lit === name,
          title: `${say("light-up")} (${part.rule})`,
          onclick: () => light(lit === name ? null : name),
        },
        ...words,
      ),
      ruleLink(part.rule),
    );
  });
  if (!rows.length) return make("p", { class: "quiet" }, say("no-points"));
  return make("ul", { class: "parts" }, ...rows);
}

/**
 * The running scores.
 * @param {State} state
 * @param {Set<number>} open the seats whose parts are shown
 * @param {string | null} lit
 * @param {(part: string | null) => void} light
 */
export function scoreList(state, open, lit, light) {
  return state.scores.map((score) => {
    const details = make(
      "details",
      { class: "score", open: open.has(score.seat) },
      make(
        "summary",
        {},
        ...nameOf(state, score.seat),
        make("strong", {}, figure(score.total)),
      ),
      score.promised !== null && make("p", { class: "promise" }, say("promised", { safe: score.safe ?? 0, promised: score.promised })),
      partsOf(score, lit, light),
    );
    details.addEventListener("toggle", () => {
      if (details.open) open.add(score.seat);
      else open.delete(score.seat);
    });
    return details;
  });
}

/**
 * The seats by their rank: the winners first, then by points.
 * @param {State} state
 * @returns {[number, Score][]} equal totals have the same rank, except behind a winner
 */
function ranked(state) {
  const wins = (/** @type {Score} */ { seat }) => Number(state.winners.includes(seat));
  const order = [...state.scores].sort((a, b) => wins(b) - wins(a) || b.total - a.total);
  const alike = (/** @type {Score} */ a, /** @type {Score} */ b) => wins(a) === wins(b) && a.total === b.total;
  return order.map((score) => [order.findIndex((other) => alike(other, score)) + 1, score]);
}

/**
 * A seat as it stands in a list of scores.
 * @param {State} state
 * @param {number} seat
 */
const nameOf = (state, seat) => [
  disc(seat),
  ...badges(state.seats[seat]),
  make("span", { class: "name" }, state.seats[seat]?.name ?? ""),
  winnersNow().includes(seat) && crown(),
];

/**
 * The sheet at the end: who has how many points, the winner first, and what for; one's own unfolded.
 * @param {State} state
 * @param {(part: string) => void} light
 */
export function scoreSheet(state, light) {
  return make(
    "div",
    { class: "score-sheet" },
    ...ranked(state).map(([rank, score]) =>
      make(
        "details",
        { class: "score", open: Boolean(state.seats[score.seat]?.mine) },
        make("summary", {}, make("span", { class: "rank" }, `${rank}.`), ...nameOf(state, score.seat), make("strong", {}, figure(score.total))),
        partsTable(score, light),
      ),
    ),
  );
}

/**
 * Every point of a seat, with its rule.
 * @param {Score} score
 * @param {(part: string) => void} light
 */
function partsTable(score, light) {
  const heads = ["what-counts", "rule", "points"].map((key) => make("th", { scope: "col" }, say(key)));
  const rows = score.parts.map((part, nth) =>
    make(
      "tr",
      {},
      make("td", {}, canLight(part) ? lightButton(part, () => light(`${score.seat}.${nth}`)) : part.label),
      make("td", { class: "rule" }, ruleLink(part.rule)),
      make("td", { class: "points" }, signed(part.points)),
    ),
  );
  const total = [
    make("th", { scope: "row", colspan: "2" }, say("total")),
    make("td", { class: "points" }, figure(score.total)),
  ];
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows),
    make("tfoot", {}, make("tr", {}, ...total)),
  );
}

/**
 * @param {ScorePart} part
 * @param {() => void} then
 */
const lightButton = (part, then) =>
  make("button", { type: "button", class: "link", title: say("light-up"), onclick: then }, part.label);
