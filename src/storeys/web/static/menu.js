// The menu: everything else that can be done at a table.

import { send } from "./asking.js";
import { closeDialog, openDialog, sure } from "./dialogs.js";
import { at, icon, make } from "./dom.js";
import { botWords, openInvites, openSeats, seatBot } from "./links.js";
import { canResume, resume } from "./lesson.js";
import { actingSeat, lentSeats, now } from "./now.js";
import { openSheet } from "./points.js";
import { openRules } from "./rules.js";
import { canNotify, changeNotifications, changeSound, notificationsAreOn, soundIsOn } from "./reminding.js";
import { changeByItself, movesMakeThemselves } from "./steps.js";
import { say } from "./texts.js";

export async function takeBack() {
  const seat = now.state.log.at(-1)?.seat ?? null;
  if (now.state.can_take_back && seat !== null) await send({ kind: "take-back", seat });
}

export async function rematch() {
  if (now.state.rematch) return location.assign(`/t/${now.state.rematch}`);
  const seat = actingSeat();
  if (seat === null) return;
  const answer = await send({ kind: "rematch", seat });
  if (answer?.table) location.assign(`/t/${answer.table}`);
}

export function openMenu() {
  const { state } = now;
  const over = state.status === "over";
  const { picture, record } = state.links;
  /** @type {(HTMLElement | false | null)[]} */
  const items = [
    state.can_take_back && item("undo", say("take-back"), takeBack),
    over && item("crown", say("score-sheet"), openSheet),
    over && state.mine.length > 0 && item("again", say("rematch"), rematch),
    item("people", say("links"), openInvites),
    ...openSeats().map((seat) => item("bot", botWords(seat), () => seatBot(seat))),
    ...seatItems(),
    canResume() && item("play", say("lesson-resume"), resume),
    item("book", say("rules"), () => openRules()),
    item("check", say(movesMakeThemselves() ? "by-itself-off" : "by-itself-on"), changeByItself),
    state.mine.length > 0 && item("bell", say(soundIsOn() ? "sound-off" : "sound-on"), changeSound),
    state.mine.length > 0 && canNotify() && item("bell", say(notificationsAreOn() ? "notify-off" : "notify-on"), changeNotifications),
    !now.byFinger && item("keyboard", say("keys"), () => openDialog("keys")),
    picture ? link("skyline", say("share-picture"), picture, true) : null,
    record ? link("download", say("download-record"), record, false) : null,
    link("left", say("to-home"), "/", false),
  ];
  at("menu-items").replaceChildren(.../** @type {HTMLElement[]} */ (items.filter(Boolean)));
  openDialog("menu");
}

/** What somebody who sits here may do with the seat. */
function seatItems() {
  const seat = actingSeat();
  if (now.state.status !== "playing" || seat === null) return [];
  const lend = () => send({ kind: "take-over", seat });
  const resign = () => send({ kind: "resign", seat });
  return [
    ...lentSeats().filter((lent) => !now.state.seats[lent].stand_in).map((lent) => item("play", say("play-myself"), () => send({ kind: "return", seat: lent }))),
    now.state.seats[seat].kind === "human" &&
      item("bot", say("let-bot"), () => sure(say("sure-bot"), say("let-bot"), lend)),
    item("cross", say("resign"), () => sure(say("sure-resign"), say("resign"), resign)),
  ];
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {() => unknown} then
 */
function item(sign, words, then) {
  const chosen = () => {
    closeDialog("menu");
    then();
  };
  return make("button", { type: "button", class: "item", onclick: chosen }, icon(sign), words);
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {string} href
 * @param {boolean} apart
 */
function link(sign, words, href, apart) {
  const record = href === now.state.links.record;
  return make(
    "a",
    {
      class: "item",
      href,
      target: apart ? "_blank" : null,
      rel: apart ? "noopener" : null,
      download: record ? `${now.state.game}-${now.state.table}.json` : null,
    },
    icon(sign),
    words,
  );
}
