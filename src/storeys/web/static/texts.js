// The sentences of the page, in the language the server chose.

/** @type {Record<string, string>} */
const texts = JSON.parse(document.getElementById("texts")?.textContent || "{}");

/**
 * A sentence with its blanks filled in.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function say(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
