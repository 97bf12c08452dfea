// Quick reactions instead of a chat: a few drawn ones, seen at the seat for a few seconds.

import { post, Refused } from "./api.js";
import { at, forget, icon, keep, kept, make } from "./dom.js";
import { actingSeat, now } from "./now.js";
import { toast } from "./shell.js";
import { say } from "./texts.js";

/** @typedef {import("./live.js").Reaction} Reaction */

/** Milliseconds for which a reaction is seen. */
const LASTS = 4000;
const isMuted = () => kept("muted") === "1";

/** Whether anybody is there who could see it. */
const hasCompany = () => now.state.seats.some((seat) => seat.kind === "human" && !seat.mine);

export function showReactions() {
  at("react").hidden = !now.state.mine.length || !hasCompany();
  if (at("react").hidden) close();
}

function close() {
  at("reactions").hidden = true;
  at("react").setAttribute("aria-expanded", "false");
}

function toggle() {
  const opens = at("reactions").hidden;
  at("reactions").hidden = !opens;
  at("react").setAttribute("aria-expanded", String(opens));
  if (opens) /** @type {HTMLElement | null} */ (at("reactions").querySelector("button"))?.focus();
}

/** @param {string} reaction */
async function send(reaction) {
  close();
  at("react").focus();
  const seat = actingSeat();
  if (seat === null) return;
  try {
    await post(`/api/tables/${encodeURIComponent(now.state.table)}/reactions`, { seat, reaction }, 1);
  } catch (problem) {
    toast(problem instanceof Refused ? problem.message : say("no-connection"));
  }
}

/** Somebody has reacted: show it at the seat, and tell who listens. @param {Reaction} heard */
export function showReaction({ seat, reaction }) {
  const who = now.state.seats[seat];
  if (!who || (isMuted() && !who.mine)) return;
  const place = document.querySelector(`#seats [data-seat="${seat}"]`)?.getBoundingClientRect();
  document.querySelector(`.shown-reaction[data-of="${seat}"]`)?.remove();
  const bubble = make("div", { class: "shown-reaction", "data-of": seat, "data-reaction": reaction, "aria-hidden": true }, icon(`react-${reaction}`));
  if (place) {
    bubble.style.left = `${Math.max(4, Math.min(place.left + place.width / 2 - 28, innerWidth - 60))}px`;
    bubble.style.top = `${Math.max(4, place.top + place.height / 2 - 28)}px`; // over the seat, not over what it did
  }
  document.body.append(bubble);
  setTimeout(() => bubble.remove(), LASTS);
  at("spoken").append(make("p", {}, `${who.name}: ${say(`react-${reaction}`)}`));
}

export function listenToReactions() {
  at("react").addEventListener("click", toggle);
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-reaction]"))) {
    button.addEventListener("click", () => send(button.dataset.reaction ?? ""));
  }
  /** @type {HTMLInputElement} */
  const mute = at("mute");
  mute.checked = isMuted();
  mute.addEventListener("change", () => (mute.checked ? keep("muted", "1") : forget("muted")));
  at("reactions").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
    at("react").focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Element && !target.closest("#reactions, #react")) close();
  });
}
