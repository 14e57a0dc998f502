// Providers: where requests go, and with which keys.

import { post } from "../core/api.js";
import { attribute, h, keyed, replace } from "../core/dom.js";
import { duration, plural } from "../core/format.js";
import { icon } from "../core/icons.js";
import { loadProviders, on, store } from "../core/store.js";
import { open } from "../parts/dialog.js";
import { removeDocument } from "../parts/documents.js";

export function mount(root) {
  const rows = h("ul", { class: "rows", "aria-label": "Providers" });
  const panel = h("section", { class: "panel", "aria-label": "Providers" },
    h("div", { class: "row row-head provider-row", "aria-hidden": "true" }, ["Provider", "Address", "Models and keys", ""].map((word) => h("span", { text: word }))), rows);
  const empty = h("div", { class: "empty panel" }, h("strong", { text: "No providers yet" }), "A provider is an upstream: its address, its keys and its models.");
  root.append(
    h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: "Providers" }),
      h("div", { class: "push" }, h("a", { class: "button primary", href: "#/providers/new" }, icon("add", 16), "New provider"))),
    panel, empty);
  function draw() {
    const list = store.providers ?? [];
    attribute(panel, "hidden", list.length === 0);
    attribute(empty, "hidden", !store.providers || list.length > 0);
    keyed(rows, list, (p) => p.id, row);
  }
  const load = () => loadProviders().catch(() => {});
  const stop = [on("providers", draw), on("reloaded", load)];
  draw();
  load();
  return () => stop.forEach((each) => each());
}

const modelName = (m) => (typeof m === "string" ? m : m.name);

function row({ id }) {
  const who = h("div"), where = h("div", { class: "small" }), what = h("div", { class: "small" });
  const remove = h("button", { class: "tiny danger", type: "button", text: "Delete", "aria-label": `Delete provider ${id}`, on: { click: () => removeDocument("providers", id) } });
  const node = h("li", null, h("div", { class: "row provider-row" }, who, where, what,
    h("div", { class: "row-actions" },
      h("button", { class: "tiny", type: "button", text: "Test", "aria-label": `Test provider ${id}`, on: { click: () => test(id) } }),
      h("a", { class: "button tiny", href: `#/providers/${encodeURIComponent(id)}`, text: "Edit", "aria-label": `Edit provider ${id}` }), remove)));
  return {
    node,
    update(p) {
      replace(who, h("strong", { text: p.id }), h("div", { class: "soft small", text: [p.preset || p.kind, !p.enabled && "not enabled", p.managed_by === "file" && "from the file"].filter(Boolean).join(" · ") }));
      replace(where, p.base_url || h("span", { class: "soft", text: "in this process" }));
      replace(what, p.models.length ? p.models.map(modelName).slice(0, 4).join(", ") + (p.models.length > 4 ? ` and ${p.models.length - 4} more` : "") : "any model",
        h("div", { class: "soft", text: p.keys.length ? `${plural(p.keys.length, "key")}: ${p.keys.map((k) => k.name).join(", ")}` : "no key" }));
      attribute(remove, "hidden", p.managed_by === "file");
    },
  };
}

// test sends one request to each model and shows what came.
function test(id) {
  return open(`Test of ${id}`, (close, heading) => {
    const results = h("div", { class: "soft", role: "status", text: "Asking every model once…" });
    post(`/api/v1/providers/${encodeURIComponent(id)}/test`, {}).then((answer) => {
      results.className = "";
      replace(results, answer.results.length
        ? h("ul", { class: "rows" }, answer.results.map((r) => h("li", { class: "row" },
          h("div", null, h("strong", { text: r.model }), " ", h("span", { class: r.ok ? "outcome outcome-ok" : "outcome outcome-failed", text: r.ok ? `✓ answered in ${duration(r.latency_ms)}` : `✕ ${r.kind ?? "failed"}` })),
          !r.ok && h("div", { class: "soft small", text: [r.status && `HTTP ${r.status}`, r.message].filter(Boolean).join(": ") }))))
        : h("p", { text: "It lists no models, and no combo names one." }));
    }, (error) => replace(results, h("p", { class: "outcome-failed", text: error.message })));
    return h("div", { class: "inner" }, heading, h("p", { class: "soft", text: "One real request per model, charged to no breaker." }), results,
      h("div", { class: "dialog-foot" }, h("button", { type: "button", class: "primary", text: "Close", on: { click: () => close() } })));
  });
}
