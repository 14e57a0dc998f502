// The attempts of a request one below the other, on one scale of time. Attempts run one after another, and how long each
// took is measured; when within the request it waited is not, so that all waiting is one bar of its own.

import { h, s } from "../core/dom.js";
import { duration } from "../core/format.js";

// plan places the attempts: {waited, total, placed: [{attempt, from, to}]}, in ms.
export function plan(request) {
  const waited = request.queue_ms;
  let at = waited;
  const placed = request.attempts.map((attempt) => {
    const from = at;
    if (attempt.outcome !== "skipped") at += attempt.ms;
    return { attempt, from, to: at };
  });
  return { waited, placed, total: Math.max(request.total_ms, at, 1) };
}

// said puts an attempt into words.
export function said(a) {
  if (a.outcome === "skipped") return `skipped: ${a.skip_reason ?? "no reason"}`;
  const notes = [a.status && `HTTP ${a.status}`, a.probe && "a probe", a.forced && "forced", a.first_token_ms && `first token after ${duration(a.first_token_ms)}`].filter(Boolean);
  return [a.outcome === "ok" ? "answered" : a.kind ?? "failed", ...notes].join(", ");
}

export function waterfall(request) {
  const { waited, placed, total } = plan(request);
  const part = (ms) => `${((100 * ms) / total).toFixed(2)}%`;
  const graph = (from, to, className, first) => h("div", { class: "graph" }, s("svg", { "aria-hidden": "true" },
    s("line", { class: "lane", x1: 0, x2: "100%", y1: 10, y2: 10 }),
    className && s("rect", { class: className, x: part(from), y: 4, width: part(Math.max(to - from, total / 250)), height: 12, rx: 2 }),
    first && s("line", { class: "first", x1: part(from + first), x2: part(from + first), y1: 1, y2: 19 })));
  const line = (what, drawing, ms) => h("li", null, h("div", { class: "what" }, what), drawing, h("div", { class: "end number small", text: ms === null ? "–" : duration(ms) }));
  return h("ol", { class: "waterfall", "aria-label": "Attempts" },
    waited > 0 && line([h("b", { text: "waiting, in all" }), h("br"), "slots, back-off, recovering breakers"], graph(0, waited, "bar-wait"), waited),
    placed.map(({ attempt: a, from, to }) => {
      const skipped = a.outcome === "skipped";
      const what = [h("b", { text: `${a.provider}/${a.model}` }), a.key ? ` with key ${a.key}` : "", h("br"), said(a)];
      return line(what, graph(from, to, skipped ? null : `bar-${a.outcome}`, a.first_token_ms), skipped ? null : a.ms);
    }));
}
