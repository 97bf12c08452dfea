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
    if (await copyText(url)) toast(say("copied"), "good");
    else text.focus();
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

export function openInvites() {
  const { state } = now;
  const invites = state.seats.filter((seat) => seat.invite);
  at("invite-list").replaceChildren(
    ...(invites.length ? [...heading("invite-heading", "invite-lead"), ...invites.map(inviteRow)] : []),
    ...heading("watch-heading"),
    copyRow(say("watch-link"), `/t/${state.table}`),
    ...(state.mine.length ? heading("move-heading", "move-explain") : []),
    ...state.mine.map(moveRow),
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
