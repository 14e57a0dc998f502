// One breaker of the board.

import { attribute, h, keyed, replace, text } from "../core/dom.js";
import { ago, breakerName, count } from "../core/format.js";
import { badge, REASONS, setBadge } from "../core/states.js";
import { serverNow, store } from "../core/store.js";
import { meter } from "./meter.js";
import { isolate, release, resetBreaker } from "./operate.js";
import { wait } from "./wait.js";

export const detailLink = (name) => `#/breakers/${encodeURIComponent(name)}`;

// suspected tells whether a combo sees a breaker's target as suspect: it is slow to begin, and asked last.
export function suspected(name) {
  if (!name.startsWith("target:")) return false;
  const target = name.slice("target:".length);
  for (const { candidates } of store.explanations.values()) {
    if (candidates.some((c) => c.suspect && `${c.provider}/${c.model}` === target)) return true;
  }
  return false;
}

// why says why a breaker is in its state, and since when.
export function why(b, now) {
  const since = b.state === "OPEN" ? b.opened_at : b.updated_at;
  if (!b.reason) return b.last_failure_at ? `last failure ${ago(b.last_failure_at, now)}: ${b.last_failure_kind}` : "nothing has happened yet";
  const said = REASONS[b.reason] ?? b.reason;
  return `${said}${b.last_failure_kind && b.state !== "CLOSED" ? ` (${b.last_failure_kind})` : ""}, ${ago(since, now)}`;
}

export function kindCounts(b) {
  return Object.entries(b.kind_counts).sort(([a, n], [c, m]) => m - n || a.localeCompare(c));
}

function flags(b) {
  return [
    suspected(b.name) && h("span", { class: "flag", text: "suspect: slow to begin, asked last" }),
    !b.enforce && h("span", { class: "flag observe", text: b.would_be === b.state ? "observes only" : `observes only, would be ${b.would_be}` }),
  ];
}

// card makes the card of a breaker; alone, it is the breaker's own page and leads nowhere else.
export function card(name, { alone = false } = {}) {
  const { scope, own } = breakerName(name);
  const state = badge("CLOSED");
  const waiting = wait();
  const bar = meter();
  const flagged = h("div", { class: "card-flags" });
  const kinds = h("ul", { class: "chips", "aria-label": "Failures by kind" });
  const reason = h("p", { class: "card-why" });
  const held = h("p", { class: "card-held" });
  const hold = h("button", { class: "tiny", type: "button", on: { click: () => (node.dataset.state === "ISOLATED" ? release(name) : isolate(name)) } });
  const node = h("article", { class: "card", tabindex: "-1", "aria-label": name, data: { name } },
    h("div", { class: "card-top" }, state, waiting.node),
    h("div", { class: "card-name" },
      alone ? h("h2", { text: own }) : h("h3", null, h("a", { href: detailLink(name), text: own })),
      h("span", { class: "scope", text: scope })),
    flagged, bar.node, kinds, held, reason,
    h("div", { class: "card-actions" },
      h("button", { class: "tiny", type: "button", text: "Reset", "aria-label": `Reset ${name}`, on: { click: () => resetBreaker(name) } }),
      hold,
      !alone && h("a", { href: detailLink(name), text: "Details", "aria-label": `Details of ${name}` })));
  let read;
  return {
    node,
    update(latest) {
      read = latest;
      const { b } = read;
      attribute(node, "class", `card state-${b.state}`);
      attribute(node, "data-state", b.state);
      setBadge(state, b.state);
      bar.update(b);
      replace(flagged, flags(b));
      keyed(kinds, kindCounts(b), ([kind]) => kind, kindChip);
      text(held, b.isolated ? `Held by ${b.isolated.by || "an operator"}: ${b.isolated.reason || "no reason given"}` : "");
      text(hold, b.state === "ISOLATED" ? "Release" : "Isolate");
      attribute(hold, "aria-label", `${hold.textContent} ${name}`);
      this.tick();
    },
    tick() {
      if (!read) return;
      waiting.tick(read);
      text(reason, why(read.b, serverNow()));
    },
  };
}

function kindChip() {
  const n = h("b");
  const word = h("span");
  return {
    node: h("li", { class: "chip" }, word, n),
    update([kind, failures]) {
      text(word, kind);
      text(n, count(failures));
    },
  };
}
