// One stream of events for all tabs of a browser.
//
// Browsers allow six connections to a host, so the tabs share one: whoever holds the lock opens the
// stream for all tables that any tab wants, and tells the others on a channel.  Where locks or
// channels are missing, a tab opens a stream of its own.

const CHANNEL = "storeys";
const LOCK = "storeys-stream";

/** @typedef {{table: string, seq: number}} News */
/** @typedef {{table: string, seat: number, reaction: string}} Reaction */
/** @typedef {{kind: "news", news: News} | {kind: "reaction", reaction: Reaction} | {kind: "want", tab: string, tables: string[]} | {kind: "who"} | {kind: "opened"} | {kind: "lost"} | {kind: "gone", tab: string}} Word */

/** A stream that opens itself again, with longer and longer pauses. */
class Stream {
  /**
   * @param {(news: News) => void} tell
   * @param {() => void} opened
   * @param {() => void} lost
   * @param {(reaction: Reaction) => void} react
   */
  constructor(tell, opened, lost, react) {
    this.react = react;
    this.tell = tell;
    this.opened = opened;
    this.lost = lost;
    /** @type {EventSource | null} */
    this.source = null;
    this.tables = "";
    this.pause = 500;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {Iterable<string>} tables */
  want(tables) {
    const all = [...new Set(tables)].sort().join(",");
    if (all === this.tables && this.source) return;
    this.tables = all;
    this.open();
  }

  open() {
    this.close();
    if (!this.tables) return;
    const source = new EventSource(`/api/stream?tables=${encodeURIComponent(this.tables)}`);
    this.source = source;
    source.addEventListener("table", (event) => {
      this.tell(JSON.parse(/** @type {MessageEvent<string>} */ (event).data));
    });
    source.addEventListener("reaction", (event) => {
      this.react(JSON.parse(/** @type {MessageEvent<string>} */ (event).data));
    });
    source.addEventListener("open", () => {
      this.pause = 500;
      this.opened();
    });
    source.addEventListener("error", () => {
      this.lost();
      // A closed source does not try again by itself; one that is connecting does.
      if (source.readyState !== EventSource.CLOSED) return;
      this.close();
      this.timer = setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(this.pause * 2, 15000);
    });
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}

/**
 * Hear of every change of some tables.
 * @param {string[]} tables
 * @param {(news: News) => void} tell called for each change
 * @param {() => void} ask called when something may have been missed: ask for the state
 * @param {() => void} [lost] called when nothing can be heard for now
 * @param {(reaction: Reaction) => void} [react] called when somebody reacts
 */
export function watch(tables, tell, ask, lost = () => {}, react = () => {}) {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") ask();
  });
  window.addEventListener("online", ask);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) ask();
  });
  if ("locks" in navigator && "BroadcastChannel" in window) share(tables, tell, ask, lost, react);
  else new Stream(tell, ask, lost, react).want(tables);
}

/**
 * @param {string[]} tables
 * @param {(news: News) => void} tell
 * @param {() => void} ask
 * @param {() => void} lost
 * @param {(reaction: Reaction) => void} react
 */
function share(tables, tell, ask, lost, react) {
  const tab = Math.random().toString(36).slice(2);
  const channel = new BroadcastChannel(CHANNEL);
  /** @type {Map<string, {tables: string[], at: number}>} */
  const subscriptions = new Map();
  /** @type {Stream | null} */
  let stream = null;

  /** @param {Word} word */
  const speak = (word) => channel.postMessage(word);
  const want = () => speak({ kind: "want", tab, tables });
  const all = () => {
    const since = Date.now() - 150_000; // tabs that crashed fall silent
    for (const [other, { at }] of subscriptions) if (at < since) subscriptions.delete(other);
    return [...tables, ...[...subscriptions.values()].flatMap((one) => one.tables)];
  };

  channel.addEventListener("message", (event) => {
    const word = /** @type {Word} */ (event.data);
    if (word.kind === "news" && tables.includes(word.news.table)) tell(word.news);
    else if (word.kind === "reaction" && tables.includes(word.reaction.table)) react(word.reaction);
    else if (word.kind === "opened") ask();
    else if (word.kind === "lost") lost();
    else if (word.kind === "who") want();
    else if (word.kind === "want") {
      subscriptions.set(word.tab, { tables: word.tables, at: Date.now() });
      stream?.want(all());
    } else if (word.kind === "gone") {
      subscriptions.delete(word.tab);
      stream?.want(all());
    }
  });
  window.addEventListener("pagehide", () => speak({ kind: "gone", tab }));
  window.addEventListener("pageshow", want);
  setInterval(want, 60_000);
  want();

  const lead = () => {
    stream = new Stream(
      (news) => {
        speak({ kind: "news", news });
        if (tables.includes(news.table)) tell(news);
      },
      () => {
        speak({ kind: "opened" });
        ask();
      },
      () => {
        speak({ kind: "lost" });
        lost();
      },
      (reaction) => {
        speak({ kind: "reaction", reaction });
        if (tables.includes(reaction.table)) react(reaction);
      },
    );
    stream.want(all());
    speak({ kind: "who" });
    return new Promise(() => {}); // held until this tab is closed
  };
  navigator.locks.request(LOCK, lead).catch(() => new Stream(tell, ask, lost, react).want(tables));
}
