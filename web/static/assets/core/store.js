// What the page knows of the gateway: copies of its answers, and nothing that it did not say. An event is only told by
// the gateway, so what it touches is read again instead of being guessed.

import { breakerPath, get, post, serverNow } from "./api.js";

const TRANSITIONS_KEPT = 2000;
const SOON = 60; // ms that events of one burst are collected before what they touch is read
const PAUSE = 1000; // ms between two readings of the whole list for the sake of counts
const MANY = 8; // so many calls at once; more breakers than these are read with the list

const listeners = new Map();

export const store = {
  session: null,
  phase: "connecting", // of the event stream
  retryAt: 0,
  breakers: new Map(), // by name: {b, askedAt, readAt}, times by performance.now()
  persistence: null,
  transitions: [], // newest first
  history: false, // whether transitions of before this page was opened are there
  combos: null,
  explanations: new Map(), // by combo: {candidates, readAt} or {error}
  providers: null,
  keys: null,
  failure: "", // why the last reading failed
  unsaved: false, // whether something was changed in a form and not saved
  stats: null,
};

// on calls listener when a topic changes, until the function that it returns is called.
export function on(topics, listener) {
  const names = topics.split(" ");
  for (const name of names) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
  }
  return () => names.forEach((name) => listeners.get(name).delete(listener));
}

export function changed(topic, detail) {
  for (const listener of [...(listeners.get(topic) ?? [])]) listener(detail);
}

// keep takes over a breaker from an answer to a question that was asked at askedAt, unless a later one is here already.
function keep(b, askedAt) {
  if (store.breakers.get(b.name)?.askedAt > askedAt) return;
  store.breakers.set(b.name, { b, askedAt, readAt: performance.now() });
}

// fail notes why the last reading failed, "" if it didn't.
function fail(message) {
  if (store.failure === message) return;
  store.failure = message;
  changed("failure");
}

// once runs one reading at a time; a call while one is under way makes it run once more, and waits for that.
function once(reading) {
  let running = null, again = null;
  const run = () => {
    running = reading().then(() => fail(""), (error) => {
      fail(error.message);
      throw error;
    }).finally(() => (running = null));
    return running;
  };
  return () => {
    if (!running) return run();
    again ??= running.catch(() => {}).then(() => {
      again = null;
      return run();
    });
    return again;
  };
}

export const loadBreakers = once(async () => {
  const askedAt = performance.now();
  const { breakers, persistence } = await get("/api/v1/breakers");
  const names = new Set(breakers.map((b) => b.name));
  for (const name of store.breakers.keys()) if (!names.has(name)) store.breakers.delete(name);
  for (const b of breakers) keep(b, askedAt);
  store.persistence = persistence;
  changed("breakers");
  changed("persistence");
});

export const loadCombos = once(async () => {
  store.combos = (await get("/api/v1/combos")).combos;
  changed("combos");
  await loadExplanations();
});

export const loadExplanations = once(async () => {
  const names = (store.combos ?? []).map((c) => c.name);
  const found = new Map();
  for (let i = 0; i < names.length; i += MANY) {
    await Promise.all(names.slice(i, i + MANY).map(async (name) => found.set(name, await explain(name))));
  }
  store.explanations = found;
  changed("explanations");
});

// explain says what the gateway would do with a request for a combo now.
export async function explain(name, body) {
  try {
    return { ...(await post(`/api/v1/combos/${encodeURIComponent(name)}/explain`, body)), readAt: performance.now() };
  } catch (error) {
    return { error: error.message, candidates: [], readAt: performance.now() };
  }
}

const loader = (member, path) => once(async () => {
  store[member] = (await get(path))[member];
  changed(member);
});
export const loadProviders = loader("providers", "/api/v1/providers");
export const loadKeys = loader("keys", "/api/v1/keys");
export const loadStats = once(async () => {
  store.stats = await get("/api/v1/stats");
  changed("stats");
});

// loadHistory reads the transitions that breakers made before the page was opened.
export const loadHistory = once(async () => {
  const names = [...store.breakers.values()].filter(({ b }) => b.version > 0 || b.reason).map(({ b }) => b.name).slice(0, 200);
  const lists = [];
  for (let i = 0; i < names.length; i += MANY) {
    lists.push(...await Promise.all(names.slice(i, i + MANY).map((name) => get(breakerPath(name)).catch(() => null))));
  }
  addTransitions(lists.flatMap((list) => list?.transitions ?? []));
  store.history = true;
  changed("transitions");
});

const identity = (t) => `${t.name} ${t.from} ${t.to} ${t.reason} ${t.at}`;

export function addTransitions(list) {
  const known = new Set(store.transitions.map(identity));
  const fresh = list.filter((t) => !known.has(identity(t)));
  if (!fresh.length) return;
  // The sort is stable: of two in one millisecond, the one that came later stays in front.
  store.transitions = [...fresh.reverse(), ...store.transitions].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, TRANSITIONS_KEPT);
}

// loadAll reads everything that the page shows, for the first time or after a gap.
export async function loadAll() {
  await Promise.all([loadBreakers(), loadCombos()]);
  const rest = [];
  if (store.history) rest.push(loadHistory());
  if (store.providers) rest.push(loadProviders());
  if (store.keys) rest.push(loadKeys());
  if (store.stats) rest.push(loadStats());
  changed("reloaded");
  await Promise.all(rest);
}

// Breakers that events have touched and that have to be read.
const touched = new Set();
let collecting = 0;

// touch has breakers read soon.
function touch(names) {
  names.forEach((name) => touched.add(name));
  collecting ||= setTimeout(readTouched, SOON);
}

async function readTouched() {
  collecting = 0;
  const names = [...touched];
  touched.clear();
  const askedAt = performance.now();
  try {
    if (names.length > MANY) await loadBreakers();
    else {
      for (const b of await Promise.all(names.map((name) => get(breakerPath(name))))) keep(b, askedAt);
      changed("breakers");
    }
    await loadExplanations();
  } catch {
    readLater(); // one is gone, or nothing can be reached: the list tells
  }
}

let later = 0;
let readAllAt = 0;

// readLater reads what changes without a transition: counts and the order of combos. Not while nobody looks.
function readLater() {
  if (later) return;
  later = setTimeout(async () => {
    later = 0;
    if (document.visibilityState !== "visible" || store.phase !== "live") return;
    readAllAt = performance.now();
    await Promise.all([loadBreakers(), loadExplanations(), store.stats && loadStats()]).catch(() => {});
  }, Math.max(SOON, readAllAt + PAUSE - performance.now()));
}

// refresh reads now what time alone changes: parks that end, failures that are forgotten, waits that have passed.
export function refresh() {
  readLater();
}

const collections = { providers: () => store.providers && loadProviders(), combos: loadCombos, keys: () => store.keys && loadKeys() };

// Events come in bursts, when a cut stream is resumed or under load: views are told of them together.
let arrived = { transitions: [], requests: [] };
let arriving = 0;

function collect(sort, data) {
  arrived[sort].push(data);
  arriving ||= setTimeout(() => {
    const { transitions, requests } = arrived;
    arrived = { transitions: [], requests: [] };
    arriving = 0;
    if (transitions.length) {
      addTransitions(transitions);
      changed("transitions", transitions);
    }
    if (requests.length) changed("requests", requests);
  }, SOON);
}

const handlers = {
  "breaker.transition": (t) => {
    collect("transitions", t);
    touch([t.name]);
  },
  "request.finished": (r) => {
    collect("requests", r);
    readLater();
  },
  "config.changed": (change) => {
    changed("config", change);
    const read = collections[change.collection] ?? loadCombos;
    Promise.all([read(), loadBreakers(), loadCombos()]).catch(() => {});
  },
  "persistence.degraded": () => loadBreakers().catch(() => {}),
  "persistence.restored": () => loadBreakers().catch(() => {}),
  "replay.gap": () => loadAll().catch(() => {}),
};

// take is given every event of the stream.
export function take({ type, data }) {
  handlers[type]?.(data);
}

// left is how much of a breaker's wait is left, in ms; null if nothing would be refused or no time is known.
export function left({ b, readAt }) {
  return b.retry_after_ms === null ? null : Math.max(0, b.retry_after_ms - (performance.now() - readAt));
}

export { serverNow };
