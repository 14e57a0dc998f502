// Combos: the order in which targets would be asked now, and why some would not.

import { attribute, h, keyed, replace, text } from "../core/dom.js";
import { countdown } from "../core/format.js";
import { icon } from "../core/icons.js";
import { badge } from "../core/states.js";
import { loadCombos, loadExplanations, on, store } from "../core/store.js";
import { detailLink } from "../parts/card.js";
import { removeDocument } from "../parts/documents.js";

// Why a candidate would be passed over.
const SKIPS = {
  drained: "drained: nothing is sent there", only_on: "a fallback, asked only after certain failures", cooldown: "parked after a failure",
  open: "its breaker is open", probing: "a probe is under way", isolated: "an operator holds it", context_window: "the request is too long for it",
  capability: "it can't do what is asked", concurrency: "it has no free slot",
};

const EXHAUSTED = { fail_open: "sends all the same", reject: "answers 503", wait: "holds the request" };

export function mount(root) {
  const list = h("div", { class: "view" });
  const empty = h("div", { class: "empty panel" }, h("strong", { text: "No combos yet" }), "A combo is what clients put into `model`: targets in an order, with failover between them.");
  root.append(
    h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: "Combos" }),
      h("div", { class: "push" }, h("a", { class: "button primary", href: "#/combos/new" }, icon("add", 16), "New combo")),
      h("p", { text: "The order in which a request would ask the targets now, as the gateway explains it." })),
    list, empty);

  function draw() {
    const combos = store.combos ?? [];
    attribute(empty, "hidden", !store.combos || combos.length > 0);
    keyed(list, combos, (c) => c.name, (c) => panel(c.name));
  }
  const stop = on("combos explanations breakers", draw);
  const ticking = setInterval(() => list.keyedParts?.forEach((part) => part.tick()), 200);
  const looking = setInterval(() => document.visibilityState === "visible" && loadExplanations().catch(() => {}), 3000);
  draw();
  loadCombos().catch(() => {});
  return () => {
    stop();
    clearInterval(ticking);
    clearInterval(looking);
  };
}

function panel(name) {
  const path = encodeURIComponent(name);
  const about = h("span", { class: "soft small" });
  const rows = h("ol", { class: "rows", "aria-label": `Targets of ${name} in the order of now` });
  const wrong = h("p", { class: "panel-body", hidden: true });
  const foot = h("p", { class: "panel-body soft small" });
  const remove = h("button", { class: "tiny danger", type: "button", text: "Delete", "aria-label": `Delete combo ${name}`, on: { click: () => removeDocument("combos", name) } });
  const node = h("section", { class: "panel combo", "aria-label": `Combo ${name}`, data: { combo: name } },
    h("div", { class: "panel-head" }, h("h2", { text: name }), about,
      h("div", { class: "push" }, h("a", { class: "button tiny", href: `#/combos/${path}`, text: "Edit", "aria-label": `Edit combo ${name}` }), remove)),
    rows, wrong, foot);
  return {
    node,
    update(combo) {
      const explained = store.explanations.get(name);
      text(about, [combo.strategy, combo.aliases.length && `also ${combo.aliases.join(", ")}`, combo.managed_by === "file" && "from the file"].filter(Boolean).join(" · "));
      attribute(remove, "hidden", combo.managed_by === "file");
      attribute(wrong, "hidden", !explained?.error);
      text(wrong, explained?.error);
      const candidates = explained?.candidates ?? [];
      const first = candidates.find((c) => c.admitted);
      keyed(rows, candidates.map((c) => ({ ...c, first: c === first })), (c) => `${c.provider}/${c.model}`, candidate);
      if (explained) for (const part of rows.keyedParts.values()) part.readAt = explained.readAt;
      text(foot, explained?.when_exhausted ? `When every target refuses, the combo ${EXHAUSTED[explained.when_exhausted] ?? explained.when_exhausted}.` : "");
      this.tick();
    },
    tick() {
      rows.keyedParts?.forEach((part) => part.tick());
    },
  };
}

function candidate() {
  const place = h("span", { class: "place" });
  const target = h("span");
  const state = h("span");
  const reason = h("span", { class: "reason" });
  const again = h("span", { class: "again end number small soft" });
  const row = h("div", { class: "row candidate-row" }, place, target, state, reason, again);
  let now, was;
  const part = {
    node: h("li", null, row),
    readAt: 0,
    update(c) {
      now = c;
      text(place, c.position);
      row.classList.toggle("skipped", !c.admitted);
      const seen = JSON.stringify([c.state, c.admitted, c.skip_reason, c.breaker, c.suspect, c.first]);
      if (seen === was) return;
      was = seen;
      replace(target, h("strong", { text: c.model }), h("span", { class: "soft", text: ` of ${c.provider}` }), c.suspect && h("span", { class: "flag", text: "suspect" }));
      replace(state, badge(c.state));
      replace(reason, c.admitted
        ? h("span", { class: "verdict-yes", text: c.first ? "asked first" : "next in line" })
        : h("span", { class: "verdict-no" }, `skipped, ${SKIPS[c.skip_reason] ?? c.skip_reason}`, c.breaker && h("span", { class: "soft small" }, " (", h("a", { href: detailLink(c.breaker), text: c.breaker }), ")")));
    },
    tick() {
      if (!now) return;
      const ms = now.retry_after_ms === null ? null : now.retry_after_ms - (performance.now() - part.readAt);
      text(again, ms > 0 ? `in ${countdown(ms)}` : "");
    },
  };
  return part;
}
