// The five states: each has a word, a colour (class state-WORD) and a shape of its own.

import { h, s } from "./dom.js";

export const STATES = ["CLOSED", "DEGRADED", "OPEN", "HALF_OPEN", "ISOLATED"];

// worst is the order in which states want to be seen.
export const WORST = ["OPEN", "ISOLATED", "HALF_OPEN", "DEGRADED", "CLOSED"];

const shapes = {
  // a disc with a tick
  CLOSED: () => [s("circle", { cx: 8, cy: 8, r: 7, fill: "currentColor" }), stroke("M4.8 8.2l2.3 2.3 4.2-4.6")],
  // a triangle with an exclamation mark
  DEGRADED: () => [s("path", { d: "M8 1.2 15.4 14.6H.6z", fill: "currentColor", "stroke-linejoin": "round" }), stroke("M8 5.8v4M8 12.2v.3")],
  // an octagon with a bar: stop
  OPEN: () => [s("path", { d: "M5 .8h6L15.2 5v6L11 15.2H5L.8 11V5z", fill: "currentColor" }), stroke("M4.6 8h6.8")],
  // a ring, half full
  HALF_OPEN: () => [s("circle", { cx: 8, cy: 8, r: 6.2, fill: "none", stroke: "currentColor", "stroke-width": 1.8 }), s("path", { d: "M8 1.8a6.2 6.2 0 0 1 0 12.4z", fill: "currentColor" })],
  // a square with two bars: held
  ISOLATED: () => [s("rect", { x: 1, y: 1, width: 14, height: 14, rx: 2.5, fill: "currentColor" }), stroke("M5.9 5v6M10.1 5v6")],
};

const stroke = (d) => s("path", { d, fill: "none", stroke: "var(--state-tint, var(--surface))", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" });

export function shape(state, size = 16) {
  return s("svg", { width: size, height: size, viewBox: "0 0 16 16", "aria-hidden": "true", "data-shape": state }, ...(shapes[state]?.() ?? []));
}

// badge shows a state by colour, word and shape.
export function badge(state) {
  const node = h("span", { class: "badge" });
  setBadge(node, state);
  return node;
}

export function setBadge(node, state) {
  if (node.dataset.state === state) return;
  node.dataset.state = state;
  node.className = `badge state-${state}`;
  node.replaceChildren(shape(state, 15), state);
}

// Why a transition was made, as one says it of a breaker.
export const REASONS = {
  "threshold": "too many failures",
  "kind-threshold": "too many failures of one kind",
  "immediate-open": "a failure of a kind that opens at once",
  "degraded": "failures reached the warning mark",
  "recovered": "failures became few again",
  "probe": "the wait had passed and a request asked",
  "forced": "a forced request succeeded",
  "probe-succeeded": "the probe succeeded",
  "probe-failed": "the probe failed",
  "isolated": "an operator holds it",
  "released": "an operator released it",
  "manual-reset": "an operator reset it",
  "key-changed": "the key's secret is another one",
  "restored": "its probe ended with the process",
};
