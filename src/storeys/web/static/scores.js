// Scores: the running ones with their parts, and the sheet that explains every point at the end.

import { icon, make } from "./dom.js";
import { say } from "./texts.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Score} Score */
/** @typedef {import("./types.js").Part} Part */

/** @param {number} points */
export const signed = (points) => (points > 0 ? `+${points}` : String(points).replace("-", "−"));

/**
 * A seat's number in a disc.
 * @param {number} seat
 */
export const disc = (seat) => make("span", { class: "disc", "aria-hidden": "true" }, String(seat + 1));

/** @param {Part} part */
const canLight = (part) => part.highlight === undefined || part.highlight.length > 0;

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
    if (!canLight(part)) return make("li", {}, make("span", { class: "part" }, ...words));
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
        disc(score.seat),
        make("span", { class: "name" }, state.seats[score.seat]?.name ?? ""),
        state.winners.includes(score.seat) && icon("crown"),
        make("strong", {}, String(score.total)),
      ),
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
 * The sheet at the end: a table for each seat, the winner first.
 * @param {State} state
 * @param {(part: string) => void} light
 */
export function scoreSheet(state, light) {
  const order = [...state.scores].sort(
    (a, b) =>
      Number(state.winners.includes(b.seat)) - Number(state.winners.includes(a.seat)) || b.total - a.total,
  );
  return make(
    "div",
    { class: "score-sheet" },
    ...order.map((score) =>
      make(
        "table",
        {},
        make(
          "caption",
          {},
          disc(score.seat),
          make("span", { class: "name" }, state.seats[score.seat]?.name ?? ""),
          state.winners.includes(score.seat) && icon("crown"),
          make("strong", {}, String(score.total)),
        ),
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "col" }, say("what-counts")),
            make("th", { scope: "col" }, say("rule")),
            make("th", { scope: "col" }, say("points")),
          ),
        ),
        make(
          "tbody",
          {},
          ...score.parts.map((part, nth) =>
            make(
              "tr",
              {},
              make(
                "td",
                {},
                canLight(part)
                  ? make(
                      "button",
                      { type: "button", class: "link", title: say("light-up"), onclick: () => light(`${score.seat}.${nth}`) },
                      part.label,
                    )
                  : part.label,
              ),
              make("td", { class: "rule" }, part.rule),
              make("td", { class: "points" }, signed(part.points)),
            ),
          ),
        ),
        make(
          "tfoot",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "row", colspan: "2" }, say("total")),
            make("td", { class: "points" }, String(score.total)),
          ),
        ),
      ),
    ),
  );
}
