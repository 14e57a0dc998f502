// How numbers, times and names are written.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const date = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const whole = new Intl.NumberFormat("en");

export const count = (n) => whole.format(n);
export const timeOfDay = (iso) => clock.format(new Date(iso));
export const dateAndTime = (iso) => date.format(new Date(iso));

// duration writes milliseconds as one would say them: 340 ms, 1.4 s, 12 s, 3 min 20 s, 2 h 5 min, 3 d 4 h.
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  return long(Math.round(seconds));
}

// countdown writes what is left without jumping in width: 0.4 s, 12 s, 3 min 20 s.
export function countdown(ms) {
  if (ms < 9950) return `${(Math.max(ms, 0) / 1000).toFixed(1)} s`;
  return long(Math.ceil(ms / 1000));
}

function long(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, size]) => seconds >= size);
  const [unit, size] = units[first];
  const parts = [`${Math.floor(seconds / size)} ${unit}`];
  const [lesser, lesserSize] = units[first + 1];
  const left = Math.floor((seconds % size) / lesserSize);
  if (left > 0) parts.push(`${left} ${lesser}`);
  return parts.join(" ");
}

// ago writes how long something is past, in whole seconds at the least.
export function ago(iso, now) {
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  return seconds < 2 ? "just now" : `${long(seconds)} ago`;
}

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

// share writes 0.375 as 37.5 %.
export const share = (x) => `${+(x * 100).toFixed(1)} %`;

// percentOf is how much of a whole a part is, as text.
export const percentOf = (part, all) => (all > 0 ? `${+((100 * part) / all).toFixed(1)} %` : "–");

// breakerName takes "target:demo/flaky" apart.
export function breakerName(name) {
  const colon = name.indexOf(":");
  const scope = name.slice(0, colon);
  const path = name.slice(colon + 1);
  const slash = scope === "provider" ? -1 : path.indexOf("/");
  return { scope, provider: slash < 0 ? path : path.slice(0, slash), own: slash < 0 ? path : path.slice(slash + 1) };
}
