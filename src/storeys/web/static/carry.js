// A phrase for another device: its link in full, and a button that copies it.

import { copyText, isLocal, toast } from "./shell.js";
import { say } from "./texts.js";

const link = /** @type {HTMLInputElement | null} */ (document.getElementById("link"));
const button = document.getElementById("copy");

if (link && button) {
  link.value = new URL(link.value, location.href).href;
  for (const field of document.querySelectorAll("input[readonly]")) {
    field.addEventListener("focus", () => /** @type {HTMLInputElement} */ (field).select());
  }
  button.hidden = false;
  const warning = document.getElementById("only-here");
  if (warning) warning.hidden = !isLocal();
  button.addEventListener("click", async () => {
    if (await copyText(link)) toast(say("copied"), "good");
    else toast(say("select-link"));
  });
}
