// What a breaker is waiting for: a ring that empties, and the time in words.

import { attribute, h, s, text } from "../core/dom.js";
import { countdown } from "../core/format.js";
import { left, refresh } from "../core/store.js";

const ROUND = 2 * Math.PI * 9;

// waiting says in words what is waited for, or "" if nothing.
function waiting(b, ms) {
  const probes = `${b.probes_in_flight} of ${b.half_open_requests}`;
  switch (b.state) {
    case "OPEN":
      return ms > 0 ? `probe in ${countdown(ms)}` : "the next request probes";
    case "HALF_OPEN":
      return b.probes_in_flight ? `${probes} probes under way` : "the next request probes";
    case "ISOLATED":
      return "until released";
    default:
      return ms > 0 ? `parked for ${countdown(ms)}` : "";
  }
}

export function wait() {
  const ring = s("circle", { class: "ring", cx: 12, cy: 12, r: 9, transform: "rotate(-90 12 12)" });
  const drawing = s("svg", { width: 22, height: 22, viewBox: "0 0 24 24", "aria-hidden": "true" }, s("circle", { class: "ring-track", cx: 12, cy: 12, r: 9 }), ring);
  const words = h("span", { class: "number" });
  const node = h("span", { class: "wait" }, drawing, words);
  let overdue = false;
  return {
    node,
    // tick is called with a breaker as it was read, some times a second.
    tick(read) {
      const { b } = read;
      const ms = left(read);
      const said = waiting(b, ms ?? 0);
      attribute(node, "hidden", said === "");
      text(words, said);
      const counts = ms > 0 && b.state !== "HALF_OPEN";
      attribute(drawing, "display", counts ? null : "none");
      if (counts) {
        const all = Math.max(b.state === "OPEN" ? b.effective_reset_timeout_ms : b.retry_after_ms, b.retry_after_ms);
        attribute(ring, "stroke-dasharray", `${((ROUND * ms) / all).toFixed(1)} ${ROUND.toFixed(1)}`);
      }
      if (ms === 0 && !overdue && b.retry_after_ms > 0) refresh(); // the time has passed since it was read
      overdue = ms === 0;
    },
  };
}
