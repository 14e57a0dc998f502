// Transitions as lines of a list.

import { h } from "../core/dom.js";
import { duration, timeOfDay } from "../core/format.js";
import { badge, REASONS } from "../core/states.js";
import { detailLink } from "./card.js";

export const transitionKey = (t) => `${t.name} ${t.at} ${t.from} ${t.to} ${t.reason}`;

export function transitionHead({ name = true } = {}) {
  return h("div", { class: "row row-head transition-row", "aria-hidden": "true" },
    h("span", { text: "Time" }), h("span", { text: name ? "Breaker" : "Kind" }), h("span", { text: "From and to" }), h("span", { text: "Why" }), h("span", { class: "end", text: "Wait" }));
}

export function transitionRow(t, { name = true } = {}) {
  const why = REASONS[t.reason] ?? t.reason;
  return {
    node: h("li", { class: name ? "new" : "" }, h("div", { class: "row transition-row" },
      h("time", { class: "when number soft", datetime: t.at, title: t.at, text: timeOfDay(t.at) }),
      name ? h("span", null, h("a", { href: detailLink(t.name), text: t.name })) : h("span", { text: t.kind ?? "–" }),
      h("span", { class: "fromto" }, badge(t.from), h("span", { "aria-label": "to", role: "img", text: "→" }), badge(t.to)),
      h("span", { class: "why small" }, `${why}${name && t.kind ? ` (${t.kind})` : ""}`, t.enforce === false && h("span", { class: "soft", text: ", observed only" })),
      h("span", { class: "end number small", text: t.wait_ms > 0 ? duration(t.wait_ms) : "" }))),
  };
}
