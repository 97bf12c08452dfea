// Links and names: invitations, a link for who watches, a seat that moves to another device.

import { post, Refused } from "./api.js";
import { send } from "./asking.js";
import { closeDialog, openDialog } from "./dialogs.js";
import { at, icon, keep, make } from "./dom.js";
import { facePicker } from "./faces.js";
import { now, wide } from "./now.js";
import { copyText, isLocal, toast } from "./shell.js";
import { say } from "./texts.js";

/**
 * A link as text, with buttons that copy it and pass it on.
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
    shareButton(title, url),
  );
}

/**
 * What opens the share sheet of the device, where it has one.
 * @param {string} title
 * @param {string} url
 */
function shareButton(title, url) {
  if (!("share" in navigator)) return null;
  const share = async () => {
    try {
      await navigator.share({ title: now.state.title, text: say("share-text", { game: now.state.title }), url });
    } catch (problem) {
      if (!(problem instanceof DOMException && problem.name === "AbortError")) toast(say("select-link"));
    }
  };
  return make("button", { type: "button", class: "small", onclick: share, "aria-label": `${say("share")}: ${title}` }, icon("share"), say("share"));
}

/** Bring a picture into sight that was opened. @param {Event} event */
function seeWhole({ currentTarget }) {
  const details = /** @type {HTMLDetailsElement} */ (currentTarget);
  if (details.open && !wide.matches) details.querySelector("img")?.scrollIntoView({ block: "nearest" });
}

/**
 * A link as a picture that a phone reads.
 * @param {string} title
 * @param {string} path
 * @param {boolean} open
 */
const qrCode = (title, path, open) =>
  make(
    "details",
    { class: "qr", open, ontoggle: seeWhole },
    make("summary", {}, icon("qr"), make("span", {}, say("qr"))),
    make("img", { src: `${path}/qr.svg`, alt: say("qr-of", { name: title }), width: 168, height: 168, loading: "lazy" }),
  );

/**
 * Everything by which a friend can be asked to a seat.
 * @param {import("./types.js").Seat} seat
 * @param {boolean} [open] whether the picture is seen at once
 */
export function inviteRow(seat, open = false) {
  const title = say("seat-n", { n: seat.seat + 1 });
  return make("div", { class: "invitation" }, copyRow(title, seat.invite ?? ""), qrCode(title, seat.invite ?? "", open));
}

/** What is said where links work on this machine alone, and how that is changed. */
export const onlyHere = () => (isLocal() ? [make("p", { class: "hint warns" }, say("only-here"))] : []);

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

export function openInvites() {
  const { state } = now;
  const invites = state.seats.filter((seat) => seat.invite);
  const movable = state.seats.filter((seat) => seat.may_invite);
  at("invite-list").replaceChildren(
    ...onlyHere(),
    ...(invites.length ? [...heading("invite-heading", "invite-lead"), ...invites.map((seat) => inviteRow(seat)), ...openSeats().map(botButton)] : []),
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
      row.replaceChildren(copyRow(name, url), qrCode(name, url, true));
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
  const faces = facePicker(seat);
  const rename = (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = name.value.trim();
    closeDialog("invites");
    if (!chosen) return;
    if (now.state.mine.length === 1) keep("name", chosen);
    const face = faces.value();
    if (face && now.state.mine.length === 1) keep("face", face);
    send({ kind: "rename", seat, name: chosen, ...(face ? { face } : {}) });
  };
  return make(
    "form",
    { class: "naming", onsubmit: rename },
    make("div", { class: "invite" }, make("span", { class: "name" }, title), name, make("button", { type: "submit", class: "small" }, say("rename"))),
    ...faces.rows,
  );
}
