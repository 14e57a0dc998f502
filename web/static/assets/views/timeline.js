// Transitions over time: a lane for each breaker that made some, and all of them as a list.

import { attribute, h, keyed, text } from "../core/dom.js";
import { badge, STATES } from "../core/states.js";
import { loadHistory, on, serverNow, store } from "../core/store.js";
import { axis, lane } from "../parts/lane.js";
import { transitionHead, transitionKey, transitionRow } from "../parts/transitions.js";

const SPANS = [["1 minute", 60_000], ["5 minutes", 300_000], ["15 minutes", 900_000], ["1 hour", 3_600_000], ["6 hours", 21_600_000]];
const STEP = 50;

let span = 900_000;

export function mount(root) {
  const choose = h("select", { id: "span", on: { change: () => { span = Number(choose.value); draw(); } } },
    SPANS.map(([words, ms]) => h("option", { value: ms, text: words, selected: ms === span })));
  const scaleOf = axis();
  const lanes = h("div", { class: "lanes" });
  const chart = h("section", { class: "panel", "aria-label": "States over time" },
    h("div", { class: "panel-head" }, h("div", { class: "legend", "aria-label": "Legend", role: "img" }, STATES.map(badge))),
    h("div", { class: "panel-body" }, scaleOf.node, lanes));
  const rows = h("ol", { class: "rows", "aria-label": "Transitions, newest first" });
  const none = h("p", { class: "empty" });
  let shown = STEP;
  const more = h("div", { class: "more" }, h("button", { type: "button", text: "Show more", on: { click: () => { shown += STEP; draw(); } } }));
  root.append(
    h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: "Timeline" }),
      h("div", { class: "push" }, h("label", { for: "span", class: "soft", text: "Last" }), h("div", null, choose))),
    chart, h("section", { class: "panel", "aria-label": "Transitions" }, transitionHead(), rows, none, more));

  function draw() {
    const now = serverNow();
    const byName = Map.groupBy(store.transitions, (t) => t.name);
    const moved = [...byName].filter(([name, list]) => store.breakers.has(name) && (Date.parse(list[0].at) > now - span || store.breakers.get(name).b.state !== "CLOSED"));
    attribute(chart, "hidden", moved.length === 0);
    keyed(lanes, moved.sort(([a], [b]) => a.localeCompare(b)), ([name]) => name, ([name]) => lane(name));
    for (const [name, list] of moved) lanes.keyedParts.get(name).draw(list, store.breakers.get(name).b, now, span);
    scaleOf.draw(span);
    keyed(rows, store.transitions.slice(0, shown), transitionKey, transitionRow);
    attribute(more, "hidden", store.transitions.length <= shown);
    attribute(none, "hidden", store.transitions.length > 0);
    text(none, store.history ? "No breaker has changed its state yet." : "Reading…");
  }

  const stop = on("transitions breakers", draw);
  const moving = setInterval(draw, 1000);
  const watcher = new ResizeObserver(draw);
  watcher.observe(chart);
  draw();
  loadHistory().catch(() => {});
  return () => {
    stop();
    clearInterval(moving);
    watcher.disconnect();
  };
}
