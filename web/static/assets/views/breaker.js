// One breaker: its card, every number of it, and its last transitions.

import { breakerPath, get } from "../core/api.js";
import { attribute, h, keyed, replace, text } from "../core/dom.js";
import { dateAndTime, duration, share } from "../core/format.js";
import { addTransitions, on, serverNow, store } from "../core/store.js";
import { card } from "../parts/card.js";
import { lane } from "../parts/lane.js";
import { transitionHead, transitionRow, transitionKey } from "../parts/transitions.js";

// facts are the members of a breaker as pairs of words.
function facts(b) {
  const at = (iso) => (iso ? dateAndTime(iso) : "–");
  return [
    ["Measure", b.measure],
    ["Value", b.measure === "window" ? share(b.measure_value) : b.measure_value],
    ["Failures that open it", b.measure === "window" ? "by share" : b.failure_threshold || "never by count"],
    ["Last failure", b.last_failure_kind ? `${b.last_failure_kind}, ${at(b.last_failure_at)}` : "–"],
    ["Opened", at(b.opened_at)],
    ["Tried again", at(b.retry_at)],
    ["Failed recoveries", b.open_cycle],
    ["Base of the wait", duration(b.reset_timeout_ms)],
    ["Wait of this cycle", duration(b.effective_reset_timeout_ms)],
    ["Parked until", at(b.cooldown_until)],
    ["Probes under way", `${b.probes_in_flight} of ${b.half_open_requests}`],
    ["Enforced", b.enforce ? "yes" : `no, would be ${b.would_be}`],
    ["Last change", at(b.updated_at)],
  ];
}

export function mount(root, name) {
  const shown = card(name, { alone: true });
  const list = h("dl", { class: "facts" });
  const rows = h("ol", { class: "rows", "aria-label": "Transitions, newest first" });
  const none = h("p", { class: "empty", text: "It made no transition yet." });
  const history = lane(name, { alone: true });
  const missing = h("div", { class: "empty panel", hidden: true });
  const body = h("div", { class: "view" },
    h("div", { class: "detail-top" }, shown.node,
      h("section", { class: "panel", "aria-label": "Numbers" }, h("div", { class: "panel-head" }, h("h2", { text: "Numbers" })), h("div", { class: "panel-body" }, list))),
    h("section", { class: "panel", "aria-label": "Transitions" },
      h("div", { class: "panel-head" }, h("h2", { text: "Transitions" }), h("span", { class: "soft small", text: "the last 15 minutes, and the last 50" })),
      h("div", { class: "panel-body" }, h("div", { class: "lanes" }, history.node)),
      transitionHead({ name: false }), rows, none));
  root.append(h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: name }), h("div", { class: "push" }, h("a", { class: "button", href: "#/breakers", text: "All breakers" }))), missing, body);

  function draw() {
    const read = store.breakers.get(name);
    attribute(missing, "hidden", Boolean(read));
    attribute(body, "hidden", !read);
    text(missing, "There is no breaker of this name.");
    if (!read) return;
    shown.update(read);
    replace(list, facts(read.b).map(([what, value]) => h("div", null, h("dt", { text: what }), h("dd", { class: "number", text: value }))));
    const own = store.transitions.filter((t) => t.name === name);
    keyed(rows, own.slice(0, 50), transitionKey, (t) => transitionRow(t, { name: false }));
    attribute(none, "hidden", own.length > 0);
    history.draw(own, read.b, serverNow(), 15 * 60_000);
  }

  const load = () => get(breakerPath(name)).then((b) => {
    addTransitions(b.transitions);
    draw();
  }, draw);
  const stop = [on("breakers explanations", draw), on("transitions", draw), on("reloaded", load)];
  const ticking = setInterval(() => shown.tick(), 200);
  draw();
  load();
  return () => {
    stop.forEach((each) => each());
    clearInterval(ticking);
  };
}
