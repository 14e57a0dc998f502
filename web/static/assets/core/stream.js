// The event stream of the gateway: read as it comes, resumed where it was cut, with back-off between the tries.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const SILENCE = 40_000; // the gateway says something every 15 s
const UNSEEN = 300_000; // a page that nobody has looked at for so long gives its connection back: a browser has few

// Stream calls onEvent({type, data}) for each event, onOpen() when events flow (again), and onPhase(phase, retryAt)
// with "connecting", "live", "cut" or "paused", and with "refused" and the status of an answer that is no stream.
export class Stream {
  constructor({ onEvent, onOpen, onPhase }) {
    Object.assign(this, { onEvent, onOpen, onPhase });
    this.lastId = "";
    this.failures = 0;
    this.wake = () => {};
    this.awake = () => this.look();
  }

  // look wakes the stream of a page that somebody looks at, and lets that of any other rest after a while.
  look() {
    clearTimeout(this.unseen);
    if (document.visibilityState === "visible") {
      this.paused = false;
      this.wake();
      return;
    }
    this.unseen = setTimeout(() => {
      this.paused = true;
      this.connection?.abort();
    }, UNSEEN);
  }

  start() {
    this.stopped = false;
    window.addEventListener("online", this.awake);
    document.addEventListener("visibilitychange", this.awake);
    this.run();
  }

  stop() {
    this.stopped = true;
    window.removeEventListener("online", this.awake);
    document.removeEventListener("visibilitychange", this.awake);
    clearTimeout(this.unseen);
    this.connection?.abort();
    this.wake();
  }

  // retry connects now instead of waiting.
  retry() {
    this.wake();
  }

  async run() {
    this.onPhase("connecting");
    while (!this.stopped) {
      try {
        await this.connect();
      } catch {
        // Cut, silent, or refused: the next try tells.
      }
      if (this.stopped) return;
      if (this.paused) {
        this.onPhase("paused");
        await new Promise((resolve) => (this.wake = resolve));
        continue;
      }
      const wait = Math.min(FIRST_WAIT * 2 ** this.failures, LONGEST_WAIT) * (0.8 + Math.random() * 0.4);
      this.failures++;
      this.onPhase("cut", Date.now() + wait);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, wait);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async connect() {
    this.connection = new AbortController();
    const headers = { Accept: "text/event-stream" };
    if (this.lastId) headers["Last-Event-ID"] = this.lastId;
    this.watch();
    try {
      const response = await fetch("/api/v1/events", {
        headers, signal: this.connection.signal, credentials: "same-origin", cache: "no-store",
      });
      if (!response.ok || !response.body) {
        await this.onPhase("refused", response.status);
        throw new Error("refused");
      }
      this.failures = 0;
      this.onPhase("live");
      this.onOpen();
      await this.read(response.body.pipeThrough(new TextDecoderStream()).getReader());
    } finally {
      clearTimeout(this.silence);
      this.connection.abort();
    }
  }

  // watch cuts a connection on which nothing comes any more.
  watch() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.connection.abort(), SILENCE);
  }

  async read(reader) {
    let rest = "";
    let event = { type: "", data: [] };
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.watch();
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          this.dispatch(event);
          event = { type: "", data: [], id: undefined };
        } else {
          field(event, line);
        }
      }
    }
  }

  dispatch({ type, data, id }) {
    if (id !== undefined) this.lastId = id;
    if (!data.length) return;
    let payload;
    try {
      payload = JSON.parse(data.join("\n"));
    } catch {
      return; // nothing that this page knows
    }
    this.onEvent({ type, data: payload });
  }
}

function field(event, line) {
  const colon = line.indexOf(":");
  if (colon === 0) return; // a comment
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
  if (name === "event") event.type = value;
  else if (name === "data") event.data.push(value);
  else if (name === "id") event.id = value;
}
