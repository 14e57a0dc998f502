// The states of one breaker over time, as coloured stretches with the shape of each state.

import { h, replace, s } from "../core/dom.js";
import { shape } from "../core/states.js";
import { detailLink } from "./card.js";

const HEIGHT = 20;

// stretches turns transitions, newest first, and the state now into what was when: [{state, from, to}], in ms. What the
// gateway has not told of the time before the first transition is the state that one left.
export function stretches(transitions, now, since, current) {
  const found = [];
  let end = now, state = current;
  for (const t of transitions) {
    const at = Math.min(Date.parse(t.at), now);
    if (at <= since) {
      found.push({ state, from: since, to: end });
      return found.reverse();
    }
    if (end > at) found.push({ state, from: at, to: end });
    end = at;
    state = t.from;
  }
  if (end > since) found.push({ state, from: since, to: end });
  return found.reverse();
}

// shownState is what the machine itself is in: that of its transitions, also if it only observes.
const shownState = (b) => (b.enforce ? b.state : b.would_be);

// lane makes the drawing of one breaker; alone, its name stands elsewhere.
export function lane(name, { alone = false } = {}) {
  const drawing = s("svg", { "aria-hidden": "true" });
  const node = h("div", { class: alone ? "lane alone" : "lane" }, !alone && h("div", { class: "lane-name" }, h("a", { href: detailLink(name), text: name })), drawing);
  return {
    node,
    draw(transitions, b, now, span) {
      const since = now - span;
      const width = drawing.clientWidth || 600;
      const x = (at) => ((at - since) / span) * width;
      replace(drawing, stretches(transitions, now, since, shownState(b)).flatMap(({ state, from, to }) => {
        const wide = Math.max(x(to) - x(from), 1.5);
        const bar = s("rect", { class: `state-${state}`, x: x(from).toFixed(1), y: 2, width: wide.toFixed(1), height: HEIGHT, rx: 2 });
        if (wide < 20) return [bar];
        return [bar, s("g", { class: `state-${state}`, transform: `translate(${(x(from) + 4).toFixed(1)} 6)` }, shape(state, 12))];
      }));
    },
  };
}

const STEPS = [10, 30, 60, 300, 600, 1800, 3600, 7200].map((seconds) => seconds * 1000);

// axis draws how long ago what lies below was.
export function axis() {
  const drawing = s("svg", { "aria-hidden": "true", class: "axis" });
  return {
    node: h("div", { class: "lane axis" }, h("span"), drawing),
    draw(span) {
      const width = drawing.clientWidth || 600;
      const step = STEPS.find((each) => span / each <= Math.max(3, width / 110)) ?? STEPS.at(-1);
      const marks = [];
      for (let back = 0; back <= span; back += step) {
        const at = width - (back / span) * width;
        const words = back === 0 ? "now" : back % 3_600_000 === 0 ? `${back / 3_600_000} h` : back >= 60_000 ? `${back / 60_000} min` : `${back / 1000} s`;
        marks.push(s("line", { x1: at, x2: at, y1: 17, y2: 24 }), s("text", { x: at, y: 12, "text-anchor": back === 0 ? "end" : at < 20 ? "start" : "middle", text: words }));
      }
      replace(drawing, marks);
    },
  };
}
