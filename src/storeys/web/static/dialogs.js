// Dialogs: opening and closing them, and asking once more before what cannot be undone.

import { at } from "./dom.js";

/** @param {string} id */
export function openDialog(id) {
  const dialog = /** @type {HTMLDialogElement} */ (at(id));
  if (!dialog.open) dialog.showModal();
}

/** @param {string} id */
export function closeDialog(id) {
  /** @type {HTMLDialogElement} */ (at(id)).close();
}

/** @type {() => void} */
let meant = () => {};

/**
 * Ask once more before something that cannot be undone.
 * @param {string} words
 * @param {string} yes
 * @param {() => void} then
 */
export function sure(words, yes, then) {
  at("sure-words").textContent = words;
  at("sure-yes").textContent = yes;
  meant = then;
  openDialog("sure");
}

export function listenToDialogs() {
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog")?.close());
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close(); // beside the card
    });
  }
  at("sure-yes").addEventListener("click", () => {
    closeDialog("sure");
    meant();
  });
}
