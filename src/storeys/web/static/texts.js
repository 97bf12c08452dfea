// The sentences of the page, in the language the server chose.

/** @type {Record<string, string>} */
const texts = JSON.parse(document.getElementById("texts")?.textContent || "{}");

/**
 * A number as people read it: with a minus sign, not with a hyphen.
 * @param {number} value
 */
export const figure = (value) => String(value).replace("-", "−");

/**
 * A sentence with its blanks filled in.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function say(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name] ?? whole;
    return typeof value === "number" ? figure(value) : value;
  });
}
