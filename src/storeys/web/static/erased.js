// Somebody was erased on the server; this browser forgets the name too.

import { forget } from "./dom.js";

forget("name");
forget("face");
// What a service worker has kept shows hands and names.
if ("caches" in window) for (const name of await caches.keys()) if (name.startsWith("storeys-pages-")) await caches.delete(name);
