// Links and names: invitations, a link for who watches, a seat that moves to another device.

import { post, Refused } from "./api.js";
import { send } from "./asking.js";
import { closeDialog, openDialog } from "./dialogs.js";
import { at, icon, keep, make } from "./dom.js";
import { now } from "./now.js";
import { copyText, toast } from "./shell.js";
import { say } from "./texts.js";

/**
 * A link with a button that copies it.
 * @param {string} title
 * @param {string} path
 */
function copyRow(title, path) {
  const url = new URL(path, location.href).href;
  const text = make("input", { type: "text", readonly: true, value: url, "aria-label": title });
  text.addEventListener("focus", () => text.select());
  const copy = async () => {
    if (await copyText(text)) toast(say("copied"), "good");
    else toast(say("select-link"));
  };
  return make(
    "div",
    { class: "invite" },
    make("span", { class: "name" }, title),
    text,
    make("button", { type: "button", class: "small", onclick: copy, "aria-label": `${say("copy")}: ${title}` }, icon("copy"), say("copy")),
  );
}

/** @param {import("./types.js").Seat} seat */
export const inviteRow = (seat) => copyRow(say("seat-n", { n: seat.seat + 1 }), seat.invite ?? "");

/** The seats that still wait for somebody, for those who may fill them. */
export const openSeats = () => now.state.seats.filter((seat) => seat.kind === "open" && seat.invite);

/** @param {import("./types.js").Seat} seat */
export const botWords = (seat) => say("bot-sits", { n: seat.seat + 1 });

/** Do not wait for a friend any longer. @param {import("./types.js").Seat} seat */
export const seatBot = (seat) => send({ kind: "take-over", seat: seat.seat });

/** @param {import("./types.js").Seat} seat */
function botButton(seat) {
  const chosen = () => {
    closeDialog("invites");
    seatBot(seat);
  };
  return make("button", { type: "button", class: "small", onclick: chosen }, icon("bot"), botWords(seat));
}

/** Whether the address of this page means something on this machine alone. */
const isLocal = () => /^(localhost|127\..*|\[?::1\]?)$/.test(location.hostname);

export function openInvites() {
  const { state } = now;
  const invites = state.seats.filter((seat) => seat.invite);
  const movable = state.seats.filter((seat) => seat.may_invite);
  at("invite-list").replaceChildren(
    ...(isLocal() ? [make("p", { class: "hint" }, say("only-here"))] : []),
    ...(invites.length ? [...heading("invite-heading", "invite-lead"), ...invites.map(inviteRow), ...openSeats().map(botButton)] : []),
    ...heading("watch-heading"),
    copyRow(say("watch-link"), `/t/${state.table}`),
    ...(movable.length ? heading("move-heading", "move-explain") : []),
    ...movable.map((seat) => moveRow(seat.seat)),
    ...(state.mine.length ? heading("names-heading") : []),
    ...state.mine.map(nameRow),
  );
  openDialog("invites");
}

/**
 * @param {string} title
 * @param {string} [lead]
 */
const heading = (title, lead) => [
  make("h3", {}, say(title)),
  ...(lead ? [make("p", { class: "quiet" }, say(lead))] : []),
];

/** A link is made only when it is asked for: the one before is then worth nothing. @param {number} seat */
function moveRow(seat) {
  const { name } = now.state.seats[seat];
  const row = make("div", {});
  const ask = async () => {
    try {
      const { url } = await post(`/api/tables/${now.state.table}/seats/${seat}/link`, {});
      row.replaceChildren(copyRow(name, url));
    } catch (problem) {
      toast(problem instanceof Refused ? problem.message : say("no-connection"));
    }
  };
  row.append(make("button", { type: "button", class: "small", onclick: ask }, say("make-link", { name })));
  return row;
}

/** @param {number} seat */
function nameRow(seat) {
  const title = say("seat-n", { n: seat + 1 });
  const name = make("input", { type: "text", maxlength: 30, value: now.state.seats[seat].name, "aria-label": title });
  const rename = (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = name.value.trim();
    closeDialog("invites");
    if (!chosen) return;
    if (now.state.mine.length === 1) keep("name", chosen);
    send({ kind: "rename", seat, name: chosen });
  };
  return make(
    "form",
    { class: "invite", onsubmit: rename },
    make("span", { class: "name" }, title),
    name,
    make("button", { type: "submit", class: "small" }, say("rename")),
  );
}
