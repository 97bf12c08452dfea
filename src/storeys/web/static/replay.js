// Replaying a record: a file or a pasted text is sent to the server, which makes a table of it.

import { post, Refused } from "./api.js";
import { at } from "./dom.js";
import { toast } from "./shell.js";
import { say } from "./texts.js";

/** @type {HTMLInputElement} */
const file = at("file");
/** @type {HTMLTextAreaElement} */
const pasted = at("pasted");
const drop = at("drop");

/** @param {string} text */
async function send(text) {
  try {
    JSON.parse(text);
  } catch {
    toast(say("not-a-record"));
    return;
  }
  try {
    const { table } = await post("/api/replays", text, 2);
    location.assign(`/t/${table}`);
  } catch (problem) {
    toast(problem instanceof Refused ? problem.message : say("no-connection"));
  }
}

/** @param {File | null | undefined} chosen */
async function read(chosen) {
  if (chosen) await send(await chosen.text());
  file.value = "";
}

file.addEventListener("change", () => read(file.files?.[0]));
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  read(event.dataTransfer?.files[0]);
});
pasted.form?.addEventListener("submit", (event) => {
  event.preventDefault();
  if (pasted.value.trim()) send(pasted.value);
});
