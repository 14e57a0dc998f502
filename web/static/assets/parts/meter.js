// How far a breaker is from opening: its measure against the mark of DEGRADED and against what opens it.

import { attribute, h, s, text } from "../core/dom.js";
import { plural, share } from "../core/format.js";

// scale says what the bar shows: the measure, its mark and its limit as parts of 1, and both as words. What opens a
// breaker that measures a share is not part of what the gateway tells: it has a mark only.
export function scale(b) {
  if (b.measure === "window") {
    return {
      value: Math.min(b.measure_value, 1), mark: b.degraded_at || null, limit: null,
      words: `${share(b.measure_value)} of requests failed`, marks: b.degraded_at ? `degraded at ${share(b.degraded_at)}` : "",
    };
  }
  const limit = b.failure_threshold;
  if (limit === 0) return { value: 0, mark: null, limit: null, words: plural(b.measure_value, "failure"), marks: "never opens by count" };
  const top = limit * 1.04; // so that the limit stands inside the bar
  return {
    value: Math.min(b.measure_value / top, 1), mark: b.degraded_at ? b.degraded_at / top : null, limit: limit / top,
    words: `${b.measure_value} of ${plural(limit, "failure")}${b.measure === "consecutive" ? " in a row" : ""}`,
    marks: b.degraded_at && b.degraded_at < limit ? `degraded at ${b.degraded_at}, opens at ${limit}` : `opens at ${limit}`,
  };
}

export function meter() {
  const fill = s("rect", { class: "fill", x: 0, y: 1, height: 8, rx: 4, width: 0 });
  const mark = s("line", { class: "mark", y1: -1, y2: 11 });
  const limit = s("line", { class: "limit", y1: -1, y2: 11 });
  const words = h("span", { class: "number" });
  const marks = h("span", { class: "number" });
  const node = h("div", { class: "meter" },
    s("svg", { "aria-hidden": "true" }, s("rect", { class: "track", x: 0, y: 1, width: "100%", height: 8, rx: 4 }), fill, mark, limit),
    h("p", null, words, marks));
  const place = (line, at) => {
    attribute(line, "visibility", at === null ? "hidden" : null);
    if (at !== null) for (const x of ["x1", "x2"]) attribute(line, x, `${(at * 100).toFixed(2)}%`);
  };
  return {
    node,
    update(b) {
      const at = scale(b);
      attribute(fill, "width", `${(at.value * 100).toFixed(2)}%`);
      place(mark, at.mark);
      place(limit, at.limit);
      text(words, at.words);
      text(marks, at.marks);
    },
  };
}
