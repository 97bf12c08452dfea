// The version of the page's files: never an old script with a new server.

import { kept } from "./dom.js";

const mine = document.querySelector("meta[name=files]")?.getAttribute("content") ?? "";
const NOTE = "storeys.reloaded";

/**
 * An answer of the server, whatever is asked or posted: an old script does not go on with it.
 * @param {string} url
 * @param {RequestInit} [init]
 */
export async function answerTo(url, init) {
  const response = await fetch(url, init);
  checkVersion(response);
  return response;
}

/** Load the page anew, once for each version, if the server has other files by now. @param {Response} response */
function checkVersion(response) {
  const theirs = response.headers.get("Storeys-Files");
  if (!mine || !theirs || theirs === mine) return;
  try {
    if (sessionStorage.getItem(NOTE) === theirs) return;
    sessionStorage.setItem(NOTE, theirs);
  } catch {
    return; // Without a note it might load itself again and again.
  }
  location.reload();
}

/** Let a service worker keep what is needed while the server is away. */
export function startWorker() {
  if (!("serviceWorker" in navigator) || kept("no-worker") === "1") return;
  navigator.serviceWorker.register("/sw.js").catch(() => {}); // The page works without.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") return;
    navigator.serviceWorker.controller?.postMessage({ keep: location.pathname });
  });
}
