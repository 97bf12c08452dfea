// Setting up a table: how many seats, who sits where, and the options of the game.

import { post, Refused } from "./api.js";
import { at, keep, kept } from "./dom.js";
import { toast } from "./shell.js";
import { say } from "./texts.js";

/** @type {HTMLFormElement} */
const form = at("set-up");
const rows = /** @type {HTMLElement[]} */ ([...form.querySelectorAll("[data-seat]")]);
const players = () => Number(new FormData(form).get("players"));

/**
 * A field of a seat's row.
 * @template {HTMLElement} T
 * @param {HTMLElement} row
 * @param {string} name
 */
const field = (row, name) => /** @type {T} */ (row.querySelector(`[data-field=${name}]`));

function refresh() {
  rows.forEach((row, nth) => {
    row.hidden = nth >= players();
    const kind = /** @type {HTMLSelectElement} */ (field(row, "kind")).value;
    field(row, "bot").hidden = kind !== "bot";
    field(row, "name").hidden = kind === "bot" || kind === "friend";
    field(row, "hint").hidden = kind !== "friend";
  });
  for (const choice of form.querySelectorAll("[data-some]")) limit(/** @type {HTMLElement} */ (choice));
}

/**
 * Of some options only so many may be chosen.
 * @param {HTMLElement} choice
 */
function limit(choice) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...choice.querySelectorAll("input[type=checkbox]:not([data-random])")]);
  const random = /** @type {HTMLInputElement | null} */ (choice.querySelector("input[data-random]"));
  const most = Number(choice.dataset.most || boxes.length);
  const chosen = boxes.filter((box) => box.checked).length;
  for (const box of boxes) box.disabled = Boolean(random?.checked) || (!box.checked && chosen >= most);
}

/** @returns {Record<string, unknown>} */
function options() {
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-option]"))) {
    const name = one.dataset.option ?? "";
    const random = /** @type {HTMLInputElement | null} */ (one.querySelector("input[data-random]"));
    const boxes = /** @type {HTMLInputElement[]} */ ([...one.querySelectorAll("input[type=checkbox]:not([data-random])")]);
    const radio = /** @type {HTMLInputElement | null} */ (one.querySelector("input[type=radio]:checked"));
    if (random?.checked) found[name] = null;
    else if (one.hasAttribute("data-some")) {
      found[name] = boxes.filter((box) => box.checked).map((box) => JSON.parse(box.value));
    } else if (radio) found[name] = JSON.parse(radio.value);
  }
  return found;
}

function seats() {
  return rows.slice(0, players()).map((row) => {
    const kind = /** @type {HTMLSelectElement} */ (field(row, "kind")).value;
    const name = /** @type {HTMLInputElement} */ (row.querySelector("input[type=text]")).value.trim();
    if (kind === "bot") {
      return { kind, bot: /** @type {HTMLSelectElement} */ (row.querySelector("[data-bot]")).value };
    }
    if (kind === "friend") return { kind };
    return name ? { kind, name } : { kind };
  });
}

form.addEventListener("input", refresh);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
  const sitting = seats();
  const me = sitting.find((seat) => seat.kind === "me");
  if (me && "name" in me && me.name) keep("name", me.name);
  button.disabled = true;
  try {
    const table = { game: form.dataset.game, players: players(), options: options(), seats: sitting };
    const made = await post("/api/tables", table, 1);
    location.assign(made.url ?? `/t/${made.table}`);
  } catch (problem) {
    toast(problem instanceof Refused ? problem.message : say("no-connection"));
    button.disabled = false;
  }
});

const first = /** @type {HTMLInputElement | null} */ (rows[0]?.querySelector("input[type=text]") ?? null);
if (first && !first.value) first.value = kept("name") ?? "";
refresh();
