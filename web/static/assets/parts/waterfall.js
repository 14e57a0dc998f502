// The attempts of a request one below the other, on one scale of time. Attempts run one after another. Requests that an
// older gateway logged don't say when each attempt began: all their waiting is one bar.

import { h, s } from "../core/dom.js";
import { duration } from "../core/format.js";

// plan places the attempts: {waited, after, total, placed: [{attempt, since, from, to}]}, in ms. since is when the one before it
// had ended; after is what was waited behind the last, waited all waiting whose place isn't known.
export function plan(request) {
  const sent = request.attempts.filter((attempt) => attempt.outcome !== "skipped");
  return sent.length > 0 && sent.every((attempt) => Number.isFinite(attempt.start_ms)) ? measured(request) : packed(request);
}

function measured(request) {
  let at = 0, gaps = 0;
  const placed = request.attempts.map((attempt) => {
    const since = at;
    if (attempt.outcome === "skipped") return { attempt, since, from: at, to: at };
    const from = Math.max(attempt.start_ms, since);
    at = from + attempt.ms;
    gaps += from - since;
    return { attempt, since: request.queue_ms > 0 ? since : from, from, to: at };
  });
  return { waited: 0, after: Math.max(request.queue_ms - gaps, 0), placed, total: Math.max(request.total_ms, at, 1) };
}

function packed(request) {
  const waited = request.queue_ms;
  let at = waited;
  const placed = request.attempts.map((attempt) => {
    const from = at;
    if (attempt.outcome !== "skipped") at += attempt.ms;
    return { attempt, since: from, from, to: at };
  });
  return { waited, after: 0, placed, total: Math.max(request.total_ms, at, 1) };
}

// said puts an attempt into words.
export function said(a) {
  if (a.outcome === "skipped") return `skipped: ${a.skip_reason ?? "no reason"}`;
  const notes = [a.status && `HTTP ${a.status}`, a.probe && "a probe", a.forced && "forced", a.first_token_ms && `first token after ${duration(a.first_token_ms)}`].filter(Boolean);
  return [a.outcome === "ok" ? "answered" : a.kind ?? "failed", ...notes].join(", ");
}

export function waterfall(request) {
  const { waited, after, placed, total } = plan(request);
  const part = (ms) => `${((100 * ms) / total).toFixed(2)}%`;
  const bar = (from, to, className) => s("rect", { class: className, x: part(from), y: 4, width: part(Math.max(to - from, total / 250)), height: 12, rx: 2 });
  const graph = (from, to, className, first, since = from) => h("div", { class: "graph" }, s("svg", { "aria-hidden": "true" },
    s("line", { class: "lane", x1: 0, x2: "100%", y1: 10, y2: 10 }),
    from > since && bar(since, from, "bar-wait"),
    className && bar(from, to, className),
    first && s("line", { class: "first", x1: part(from + first), x2: part(from + first), y1: 1, y2: 19 })));
  const line = (what, drawing, ms) => h("li", null, h("div", { class: "what" }, what), drawing, h("div", { class: "end number small", text: ms === null ? "–" : duration(ms) }));
  return h("ol", { class: "waterfall", "aria-label": "Attempts" },
    waited > 0 && line([h("b", { text: "waiting, in all" }), h("br"), "slots, back-off, recovering breakers"], graph(0, waited, "bar-wait"), waited),
    placed.map(({ attempt: a, since, from, to }) => {
      const skipped = a.outcome === "skipped";
      const what = [h("b", { text: `${a.provider}/${a.model}` }), a.key ? ` with key ${a.key}` : "", h("br"), said(a), from > since && `, after ${duration(from - since)} of waiting`];
      return line(what, graph(from, to, skipped ? null : `bar-${a.outcome}`, a.first_token_ms, since), skipped ? null : a.ms);
    }),
    after > 0 && line([h("b", { text: "waiting, to the end" }), h("br"), "slots, back-off, recovering breakers"], graph(total - after, total, "bar-wait"), after));
}
