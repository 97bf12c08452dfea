// The table's results over an evening: who has won how often, and with how many points in all.

import { make } from "./dom.js";
import { now } from "./now.js";
import { crown, face } from "./scores.js";
import { figure, say } from "./texts.js";
import { answerTo } from "./version.js";

/** @typedef {import("./types.js").Evening} Evening */

/** Where the results of the evening are shown as soon as they are here; nothing in a first match. */
export function eveningPlaces() {
  if (!now.state.previous) return [];
  const place = make("section", { class: "evening", "aria-labelledby": "evening-heading" });
  fill(place);
  return [place];
}

/** @param {HTMLElement} place */
async function fill(place) {
  const lang = encodeURIComponent(now.state.lang);
  const answer = await answerTo(`/api/tables/${encodeURIComponent(now.state.table)}/evening?lang=${lang}`, {
    headers: { Accept: "application/json", "Accept-Language": now.state.lang },
    cache: "no-store",
  }).catch(() => null);
  if (!answer?.ok) return;
  place.replaceChildren(
    make("h3", { id: "evening-heading" }, say("evening")),
    make("p", { class: "quiet" }, say("evening-lead")),
    make("div", { class: "scrolls", tabindex: 0, role: "group", "aria-labelledby": "evening-heading" }, sums(await answer.json())),
  );
}

/** @param {Evening} evening */
function sums({ names, faces, wins, points, matches }) {
  const played = matches.filter((match) => match.over);
  const rows = names.map((_, row) => row).sort((a, b) => wins[b] - wins[a] || points[b] - points[a]);
  return make(
    "table",
    { class: "totals" },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("td", {}),
        ...played.map((match, nth) =>
          make("th", { scope: "col" }, make("a", { href: `/t/${match.table}`, "aria-label": say("match-n", { n: nth + 1 }) }, String(nth + 1))),
        ),
        make("th", { scope: "col" }, say("points")),
        make("th", { scope: "col" }, say("wins")),
      ),
    ),
    make(
      "tbody",
      {},
      ...rows.map((row) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, face(faces[row]), ` ${names[row]}`),
          ...played.map((match) => make("td", {}, figure(match.totals[row]), match.winners.includes(row) && crown())),
          make("td", {}, figure(points[row])),
          make("td", {}, make("strong", {}, figure(wins[row]))),
        ),
      ),
    ),
  );
}
