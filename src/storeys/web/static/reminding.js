// Reminders that it is one's turn: the icon of the tab, a sound, a notification.

import { forget, keep, kept } from "./dom.js";
import { toast } from "./shell.js";
import { say } from "./texts.js";

/** The notes of the sound: their pitch, and when they begin. */
const NOTES = [
  [659.3, 0],
  [880, 0.16],
];

export const soundIsOn = () => kept("sound") === "1";
export const notificationsAreOn = () =>
  kept("notify") === "1" && "Notification" in window && Notification.permission === "granted";
export const canNotify = () => "Notification" in window;

/** @type {AudioContext | null} */
let audio = null;

/** A short sound, made here. */
export function ring() {
  audio ??= new AudioContext();
  audio.resume();
  for (const [pitch, begins] of NOTES) {
    const tone = audio.createOscillator();
    const loudness = audio.createGain();
    const start = audio.currentTime + begins;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0.0001, start);
    loudness.gain.exponentialRampToValueAtTime(0.12, start + 0.02);
    loudness.gain.exponentialRampToValueAtTime(0.0001, start + 0.4);
    tone.connect(loudness).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.45);
  }
  document.documentElement.dataset.rung = String(Number(document.documentElement.dataset.rung ?? 0) + 1);
}

export function changeSound() {
  if (soundIsOn()) return forget("sound");
  keep("sound", "1");
  ring(); // so that one knows it, and the browser lets us
}

/** The browser is asked only when somebody wants notifications. */
export async function changeNotifications() {
  if (notificationsAreOn()) return forget("notify");
  if ((await Notification.requestPermission()) === "granted") keep("notify", "1");
  else toast(say("notify-refused"));
}

/** Let the icon of the tab say whether it is one's turn. @param {boolean} turn */
export function showIcon(turn) {
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  if (!link) return;
  const name = turn ? "favicon-turn.svg" : "favicon.svg";
  const href = new URL(`./${name}`, import.meta.url).pathname;
  if (link.getAttribute("href") !== href) link.setAttribute("href", href);
}

/**
 * It has become one's turn.
 * @param {string} title
 * @param {string} table
 */
export async function remind(title, table) {
  if (soundIsOn()) ring();
  if (!notificationsAreOn() || document.visibilityState === "visible") return;
  const options = { body: title, tag: table, icon: "/icons/192.png" };
  // On phones only a service worker may show one.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) return worker.showNotification(say("your-turn-now"), { ...options, data: { url: `/t/${table}` } });
  const shown = new Notification(say("your-turn-now"), options);
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
  });
}
