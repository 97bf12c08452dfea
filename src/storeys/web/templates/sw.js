// The service worker: what is shown while the server is away.  Its text changes with every version
// of the files, so that browsers fetch it anew; each version has caches of its own, and a page is
// only ever given scripts of the version that it came with.

const VERSION = {{ version|tojson }};
const FILES = {{ files|tojson }};
const AWAY = "/away";
const STATIC = `storeys-static-${VERSION}`;
const PAGES = `storeys-pages-${VERSION}`;
const MOST_PAGES = 20;
/** Milliseconds after which a page that was seen before is shown without the server. */
const PATIENCE = 4000;
/** With which version of the files each open page came. */
const versions = new Map();

self.addEventListener("install", (event) => {
  const fetched = caches.open(STATIC).then((cache) => cache.addAll([...FILES, AWAY].map((file) => new Request(file, { cache: "reload" }))));
  event.waitUntil(fetched.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith("storeys-") && name !== STATIC && name !== PAGES);
    await Promise.all(names.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(old());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(event, pathname));
  else if (FILES.includes(pathname)) event.respondWith(file(event));
});

/** Whether a page is kept: those that people come back to. */
const isKept = (path) => path === "/" || path === "/matches" || path.startsWith("/t/");

/** A page from the server; as it was seen last where the server is away or very slow. */
async function page(event, path) {
  const kept = isKept(path) ? await (await caches.open(PAGES)).match(path) : undefined;
  const asked = fetch(event.request).then((answer) => {
    event.waitUntil(keep(path, answer.clone()));
    return answer;
  });
  asked.catch(() => {}); // looked at below, or not needed any more
  let answer;
  try {
    answer = await (kept ? Promise.race([asked, wait().then(() => null)]) : asked);
  } catch {
    answer = null;
  }
  if (answer) versions.set(event.resultingClientId, answer.headers.get("Storeys-Files"));
  else versions.set(event.resultingClientId, VERSION);
  return answer ?? kept ?? (await caches.match(AWAY, { cacheName: STATIC })) ?? Response.error();
}

const wait = () => new Promise((done) => setTimeout(done, PATIENCE));

/** Keep a page as it is now, if it is of this version and one that is kept. */
async function keep(path, answer) {
  const same = answer.headers.get("Storeys-Files") === VERSION;
  if (!isKept(path) || !answer.ok || answer.redirected || !same) return;
  const cache = await caches.open(PAGES);
  await cache.delete(path);
  await cache.put(path, answer);
  const names = await cache.keys();
  await Promise.all(names.slice(0, Math.max(0, names.length - MOST_PAGES)).map((name) => cache.delete(name)));
}

/** A file at once for pages of this version; for others only what the server has. */
async function file(event) {
  const version = versions.get(event.clientId || event.resultingClientId);
  if (version !== undefined && version !== VERSION) return fetch(event.request);
  const { pathname } = new URL(event.request.url);
  const kept = await caches.match(pathname, { cacheName: STATIC });
  if (version === VERSION && kept) return kept;
  return fetch(event.request).catch(() => kept ?? Response.error());
}

// A page that is left asks to be kept as it is now: the last picture.
self.addEventListener("message", (event) => {
  const path = event.data?.keep;
  if (typeof path !== "string" || !isKept(path)) return;
  const fresh = fetch(path, { headers: { Accept: "text/html" }, cache: "no-store" });
  event.waitUntil(fresh.then((answer) => keep(path, answer)).catch(() => {}));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data?.url ?? "/", self.location.origin).href;
  const show = async () => {
    const open = await self.clients.matchAll({ type: "window" });
    const there = open.find((client) => client.url === url);
    await (there ? there.focus() : self.clients.openWindow(url));
  };
  event.waitUntil(show());
});
