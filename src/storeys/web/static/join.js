// Taking a seat: the name of last time is filled in.

import { at, keep, kept } from "./dom.js";

/** @type {HTMLInputElement} */
const name = at("name");
if (!name.value) name.value = kept("name") ?? "";
/** @type {HTMLInputElement} */ (at("face")).value = kept("face") ?? "";
name.form?.addEventListener("submit", () => keep("name", name.value.trim()));
