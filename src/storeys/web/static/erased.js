// Somebody was erased on the server; this browser forgets the name too.

import { forget } from "./dom.js";

forget("name");
