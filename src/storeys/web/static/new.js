// Setting up a table: how many seats, who sits where, and the options of the game.

import { post, Refused } from "./api.js";
import { at, keep, kept, make } from "./dom.js";
import "./shell.js";
import { say } from "./texts.js";

/** The bots by how well they play, the weakest first. @type {{ name: string, label: string, help: string }[]} */
const LEVELS = JSON.parse(at("levels").textContent ?? "[]");
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

/**
 * Who sits at a seat: its kind, and of a bot that is none of the levels its name.
 * @param {HTMLElement} row
 * @returns {[string, string]}
 */
function sitting(row) {
  const { value } = /** @type {HTMLSelectElement} */ (field(row, "kind"));
  const colon = value.indexOf(":");
  return colon < 0 ? [value, ""] : [value.slice(0, colon), value.slice(colon + 1)];
}

/** @param {HTMLElement} row */
const sliderOf = (row) => /** @type {HTMLInputElement} */ (row.querySelector("input[type=range]"));

/** @param {HTMLElement} row */
const levelOf = (row) => LEVELS[Number(sliderOf(row).value) - 1];

/** Say a seat's level in words, beside its slider and to who cannot see it. @param {HTMLElement} row */
function showLevel(row) {
  const { label, help } = levelOf(row);
  const level = say("level-of", { n: sliderOf(row).value, most: LEVELS.length });
  sliderOf(row).setAttribute("aria-valuetext", `${label}, ${level}: ${help}`);
  const words = /** @type {HTMLElement} */ (row.querySelector(".level-words"));
  words.replaceChildren(make("strong", {}, label), ` ${level}`, make("small", {}, help));
}

function refresh() {
  rows.forEach((row, nth) => {
    row.hidden = nth >= players();
    const [kind, other] = sitting(row);
    field(row, "level").hidden = kind !== "bot" || other !== "";
    field(row, "name").hidden = kind === "bot" || kind === "friend";
    field(row, "hint").hidden = kind !== "friend";
    showLevel(row);
  });
  at("clock").hidden = players() === 1; // nobody waits
  relabel();
  showCards();
  for (const choice of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-option]"))) limit(choice);
}

/** Some values are called otherwise with a value of another option. */
function relabel() {
  const chosen = options();
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[data-otherwise]"))) {
    /** @type {{ option: string, value: unknown, label: string }[]} */
    const others = JSON.parse(box.dataset.otherwise ?? "[]");
    const other = others.find(({ option, value }) => chosen[option] === value);
    const words = box.labels?.[0].querySelector("span");
    if (words) words.textContent = other?.label ?? box.dataset.label ?? "";
  }
}

/** Cards say what they say with the options that are chosen. */
function showCards() {
  const chosen = options();
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-when-option]"))) {
    one.hidden = String(chosen[one.dataset.whenOption ?? ""]) !== one.dataset.whenValue;
  }
}

/**
 * The boxes of an option, without those that leave it to chance.
 * @param {HTMLElement} choice
 */
const boxesOf = (choice) =>
  /** @type {HTMLInputElement[]} */ ([...choice.querySelectorAll("input:not([data-random])")]);

/** @param {HTMLElement} choice */
const randomOf = (choice) => /** @type {HTMLInputElement[]} */ ([...choice.querySelectorAll("input[data-random]")]);

/**
 * Something is either named or left to chance, in one way.
 * @param {HTMLInputElement} box that was ticked
 */
function untickOthers(box) {
  const choice = /** @type {HTMLElement | null} */ (box.closest("[data-option]"));
  if (!choice || !box.checked) return;
  const others = box.hasAttribute("data-random") ? [...boxesOf(choice), ...randomOf(choice)] : randomOf(choice);
  for (const other of others) if (other !== box) other.checked = false;
}

/**
 * Why a value cannot be played by so many, if it cannot.
 * @param {HTMLInputElement} box
 * @returns {string | undefined}
 */
const whyNot = (box) => JSON.parse(box.dataset.barred ?? "{}")[players()];

/**
 * Of some options only so many may be chosen, and some values do not go with every number of players.
 * @param {HTMLElement} choice
 */
function limit(choice) {
  const boxes = boxesOf(choice);
  const barred = boxes.filter(whyNot);
  for (const box of barred) if (box.checked) box.checked = false;
  const chosen = boxes.filter((box) => box.checked).length;
  const one = !choice.hasAttribute("data-some");
  if (one && !chosen) for (const box of boxes) box.checked = box.hasAttribute("data-usual");
  const most = Number(choice.dataset.most || boxes.length);
  const full = !one && chosen >= most;
  for (const box of boxes) box.disabled = barred.includes(box) || (full && !box.checked);
  const reasons = one ? barred.map(whyNot) : [...notWith(barred), ...enough(boxes, most, full)];
  const why = /** @type {HTMLElement} */ (choice.querySelector("[data-why]"));
  why.hidden = !reasons.length;
  why.textContent = reasons.join(" ");
}

/** @param {HTMLInputElement[]} boxes */
const notWith = (boxes) =>
  boxes.length
    ? [say("not-with-n", { n: players(), names: boxes.map((box) => box.labels?.[0].textContent?.trim()).join(", ") })]
    : [];

/**
 * That no more can be chosen, where there is more.
 * @param {HTMLInputElement[]} boxes
 * @param {number} most
 * @param {boolean} full
 */
const enough = (boxes, most, full) => (full && boxes.length > most ? [say("enough-chosen", { n: most })] : []);

/** @returns {Record<string, unknown>} */
function options() {
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-option]"))) {
    const name = one.dataset.option ?? "";
    const random = randomOf(one).find((box) => box.checked);
    const radio = /** @type {HTMLInputElement | null} */ (one.querySelector("input[type=radio]:checked"));
    if (random) found[name] = JSON.parse(random.value);
    else if (one.hasAttribute("data-some")) {
      found[name] = boxesOf(one).filter((box) => box.checked).map((box) => JSON.parse(box.value));
    } else if (radio) found[name] = JSON.parse(radio.value);
  }
  return found;
}

function seats() {
  return rows.slice(0, players()).map((row) => {
    const [kind, other] = sitting(row);
    const name = /** @type {HTMLInputElement} */ (row.querySelector("input[type=text]")).value.trim();
    if (kind === "bot") return { kind, bot: other || levelOf(row).name };
    if (kind === "friend") return { kind };
    const face = kind === "me" ? kept("face") : null;
    return { kind, ...(name ? { name } : {}), ...(face ? { face } : {}) };
  });
}

/** @param {string} sentence */
function refuse(sentence) {
  const line = at("refusal");
  line.textContent = sentence;
  line.hidden = !sentence;
  if (sentence) line.scrollIntoView({ block: "nearest" });
}

form.addEventListener("input", (event) => {
  refuse("");
  if (event.target instanceof HTMLInputElement) untickOthers(event.target);
  refresh();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
  const seated = seats();
  const me = seated.find((seat) => seat.kind === "me");
  if (me && "name" in me && me.name) keep("name", me.name);
  button.disabled = true;
  try {
    const clock = at("clock").hidden ? "none" : String(new FormData(form).get("clock"));
    const table = { game: form.dataset.game, players: players(), options: options(), seats: seated, clock };
    const made = await post("/api/tables", table, 1);
    location.assign(made.url ?? `/t/${made.table}`);
  } catch (problem) {
    refuse(problem instanceof Refused ? problem.message : say("no-connection"));
    button.disabled = false;
  }
});

const first = /** @type {HTMLInputElement | null} */ (rows[0]?.querySelector("input[type=text]") ?? null);
if (first && !first.value) first.value = kept("name") ?? "";
refresh();

// A page that comes back from the browser's cache must not keep its button shut.
window.addEventListener("pageshow", () => {
  /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]")).disabled = false;
});
