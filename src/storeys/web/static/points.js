// The scores beside the board, what their parts light up on it, and the sheet at the end.

import { ask, goTo } from "./asking.js";
import { at, icon, make } from "./dom.js";
import { eveningPlaces } from "./evening.js";
import { closeDialog, openDialog } from "./dialogs.js";
import { hasCities, isHotSeat, isPast, look, now, winnersNow } from "./now.js";
import { scoreList, scoreSheet } from "./scores.js";
import { say } from "./texts.js";
import { playAgain } from "./time.js";

/** The seats whose parts are shown. @type {Set<number>} */
const open = new Set();

/** Show the parts of a seat's score. @param {number} seat */
export const openScore = (seat) => open.add(seat);

/** What the scores say that are shown: most moves change none, and there are hundreds of parts. */
let said = "";

export function showScores() {
  const { scores, seats, status, lang } = now.state;
  const names = seats.map(({ name, badges }) => [name, badges]);
  const words = JSON.stringify([scores, names, status, lang, look.part, winnersNow(), [...open]]);
  if (words === said) return;
  said = words;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.part;
  at("scores").replaceChildren(...scoreList(now.state, open, look.part, light));
  if (now.state.status === "over") {
    at("scores").append(make("button", { type: "button", class: "small wide", onclick: openSheet }, say("score-sheet")));
  }
  if (focused) /** @type {HTMLElement | null} */ (at("scores").querySelector(`[data-part="${focused}"]`))?.focus();
}

/** @param {string | null} part */
export function light(part) {
  look.part = part;
  look.place = null;
  const seat = part === null ? null : Number(part.split(".")[0]);
  if (seat !== null && hasCities()) now.shown = seat;
  ask();
}

export function winnersWords() {
  const { winners, seats } = now.state;
  if (!winners.length) return say("is-over");
  if (winners.length === 1 && seats[winners[0]].mine && !isHotSeat()) return say("you-win");
  const name = winners.map((seat) => seats[seat].name).join(", ");
  return say(winners.length === 1 ? "one-wins" : "many-win", { name });
}

/** @type {() => void} */
let again = () => {};

/** What the sheet's button for a rematch does. @param {() => void} then */
export function onAgain(then) {
  again = then;
}

/** @type {() => void} */
let count = () => {};

/** What the sheet's button for counting again does. @param {() => void} then */
export function onCount(then) {
  count = then;
}

function countAgain() {
  closeDialog("sheet");
  count();
}

function watchAgain() {
  closeDialog("sheet");
  playAgain();
}

/** The sheet tells of the end, also when an earlier position is looked at. */
export async function openSheet() {
  if (isPast()) await goTo(null);
  const { links, mine, game, table } = now.state;
  at("sheet-heading").textContent = winnersWords();
  at("sheet-body").replaceChildren(
    ...eveningPlaces(),
    make(
      "div",
      { class: "row" },
      mine.length > 0 && make("button", { type: "button", class: "big primary", onclick: () => again() }, icon("again"), say("rematch")),
      make("button", { type: "button", class: "big", onclick: watchAgain }, icon("play"), say("replay-match")),
      make("button", { type: "button", class: "big", onclick: countAgain }, icon("check"), say("count-again")),
    ),
    scoreSheet(now.state, (part) => {
      closeDialog("sheet");
      light(part);
    }),
    make(
      "div",
      { class: "row" },
      links.picture && make("a", { class: "big", href: links.picture, target: "_blank", rel: "noopener" }, icon("skyline"), say("share-picture")),
      links.record && make("a", { class: "big", href: links.record, download: `${game}-${table}.json` }, icon("download"), say("download-record")),
    ),
  );
  openDialog("sheet");
}
