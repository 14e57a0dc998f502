// Totals since the process began: per combo, per target, per kind.

import { h, replace, s } from "../core/dom.js";
import { count, percentOf } from "../core/format.js";
import { loadStats, on, store } from "../core/store.js";

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const good = (word) => word === "ok";
const middling = (word) => word === "canceled" || word === "rejected";
const fill = (word) => (good(word) ? "fill-ok" : middling(word) ? "fill-else" : "fill-bad");

export function mount(root) {
  const body = h("div", { class: "view" });
  root.append(h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: "Totals" }), h("p", { text: "Since this process of the gateway began." })), body);
  let seen = "";
  function draw() {
    const now = JSON.stringify(store.stats);
    if (!store.stats || now === seen) return;
    seen = now;
    replace(body, content(store.stats));
  }
  const load = () => loadStats().catch(() => {});
  const stop = [on("stats", draw), on("reloaded", load)];
  draw();
  load();
  return () => stop.forEach((each) => each());
}

function content({ combos, targets, kinds }) {
  const requests = sum(combos.map((c) => c.requests));
  if (!requests) return [h("div", { class: "empty panel" }, h("strong", { text: "No requests yet" }), "Totals appear with the first one.")];
  const answered = sum(combos.map((c) => c.outcomes.ok ?? 0));
  const attempts = sum(kinds.map((k) => k.attempts));
  const failed = sum(kinds.filter((k) => !good(k.kind)).map((k) => k.attempts));
  const tile = (what, value) => h("div", { class: "panel tile" }, h("dt", { text: what }), h("dd", { text: value }));
  return [
    h("dl", { class: "tiles" }, tile("Requests", count(requests)), tile("Answered", percentOf(answered, requests)), tile("Attempts", count(attempts)), tile("Failed attempts", percentOf(failed, attempts))),
    h("div", { class: "columns" },
      chart("Requests by combo", combos.map((c) => ({ name: c.combo || "no combo", all: c.requests, parts: c.outcomes }))),
      chart("Attempts by target", targets.map((t) => ({ name: `${t.provider}/${t.model}`, all: t.attempts, parts: t.kinds }))),
      chart("Attempts by kind", kinds.map((k) => ({ name: k.kind, all: k.attempts, parts: { [k.kind]: k.attempts } })), false)),
  ];
}

// chart draws a bar for each row, divided into parts; the parts are words beside it too.
function chart(title, rows, withParts = true) {
  const most = Math.max(...rows.map((r) => r.all), 1);
  return h("section", { class: "panel", "aria-label": title },
    h("div", { class: "panel-head" }, h("h2", { text: title })),
    h("ul", { class: "bars panel-body" }, rows.map(({ name, all, parts }) => {
      const sorted = Object.entries(parts).sort(([a, n], [b, m]) => good(b) - good(a) || m - n || a.localeCompare(b));
      let at = 0;
      const bars = sorted.map(([word, n]) => {
        const bar = s("rect", { class: fill(word), x: `${(100 * at) / most}%`, width: `${(100 * n) / most}%`, y: 1, height: 14 });
        at += n;
        return bar;
      });
      return h("li", null, h("span", { text: name }), h("div", { class: "graph" }, s("svg", { "aria-hidden": "true" }, bars)), h("b", { class: "end number", text: count(all) }),
        withParts && h("ul", { class: "chips parts" }, sorted.map(([word, n]) => h("li", { class: "chip" }, h("span", { class: `dot ${fill(word)}` }), word, h("b", { text: count(n) })))));
    })));
}
