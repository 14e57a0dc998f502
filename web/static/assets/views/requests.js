// Recent requests: what was tried for each, how long it took, and what came of it.

import { get } from "../core/api.js";
import { attribute, h, keyed, replace, text } from "../core/dom.js";
import { count, dateAndTime, duration, timeOfDay } from "../core/format.js";
import { icon } from "../core/icons.js";
import { on, store } from "../core/store.js";
import { waterfall } from "../parts/waterfall.js";

const OUTCOMES = ["ok", "failed", "truncated", "unavailable", "canceled", "rejected"];
const PAGE = 50;
const LISTED = 500; // requests on the page at most, while new ones come
const SIGNS = { ok: "✓", failed: "✕", truncated: "✂", unavailable: "⊘", canceled: "↩", rejected: "!" };

let outcome = "", combo = "";

export function mount(root) {
  let listed = []; // newest first, as the gateway listed them
  let next = null;
  let turn = 0; // of the newest reading: an answer to an older one is dropped
  const open = new Set();
  const byOutcome = h("select", { id: "outcome", on: { change: () => { outcome = byOutcome.value; load(); } } },
    h("option", { value: "", text: "every outcome" }), OUTCOMES.map((word) => h("option", { value: word, text: word, selected: word === outcome })));
  const byCombo = h("select", { id: "by-combo", on: { change: () => { combo = byCombo.value; load(); } } });
  const rows = h("ol", { class: "rows", "aria-label": "Requests, newest first" });
  const none = h("p", { class: "empty" });
  const unsaved = h("p", { class: "note warn", hidden: true, text: "The request log can't be stored now: the newest requests are shown from memory." });
  const more = h("div", { class: "more" }, h("button", { type: "button", text: "Show older", on: { click: older } }));
  root.append(
    h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: "Requests" }),
      h("div", { class: "push" },
        h("label", { class: "hidden", for: "by-combo", text: "Combo" }), h("div", null, byCombo),
        h("label", { class: "hidden", for: "outcome", text: "Outcome" }), h("div", null, byOutcome))),
    unsaved, h("section", { class: "panel", "aria-label": "Requests" }, head(), rows, none, more));

  function choices() {
    replace(byCombo, h("option", { value: "", text: "every combo" }), (store.combos ?? []).map((c) => h("option", { value: c.name, text: c.name, selected: c.name === combo })));
  }

  const query = (before) => {
    const params = new URLSearchParams({ limit: PAGE });
    if (outcome) params.set("outcome", outcome);
    if (combo) params.set("combo", combo);
    if (before) params.set("before", before);
    return `/api/v1/requests?${params}`;
  };

  async function load() {
    const mine = ++turn;
    try {
      const page = await get(query());
      if (mine !== turn) return;
      listed = page.requests;
      next = page.next;
      attribute(unsaved, "hidden", page.persistence.status === "ok");
    } catch (error) {
      if (mine === turn) text(none, error.message);
    }
    draw();
  }

  async function older() {
    const mine = turn;
    const page = await get(query(next)).catch(() => null);
    if (!page || mine !== turn) return;
    listed = [...listed, ...page.requests];
    next = page.next;
    draw();
  }

  function arrived(finished) {
    const known = new Set(listed.map((r) => r.id));
    const fresh = finished.filter((r) => (!outcome || r.outcome === outcome) && (!combo || r.combo === combo) && !known.has(r.id));
    if (!fresh.length) return;
    listed = [...fresh.reverse(), ...listed].slice(0, LISTED);
    draw();
  }

  function draw() {
    keyed(rows, listed, (r) => r.id, (r) => row(r, open));
    attribute(more, "hidden", !next);
    attribute(none, "hidden", listed.length > 0);
    text(none, "No request of this sort is in the log.");
  }

  const stop = [on("requests", arrived), on("combos", choices), on("reloaded", load)];
  choices();
  load();
  return () => stop.forEach((each) => each());
}

function head() {
  const names = ["Time", "Outcome", "Combo", "Answered by", "Attempts", "First token", "Total"];
  return h("div", { class: "row row-head request-row", "aria-hidden": "true" },
    names.map((name, i) => h("span", { class: i > 3 ? "end" : "", text: name })), h("span"));
}

function row(r, open) {
  const details = h("div", { class: "request-more", hidden: true });
  const sent = r.attempts.filter((a) => a.outcome !== "skipped").length;
  const toggle = () => {
    const now = details.hidden;
    details.hidden = !now;
    attribute(button, "aria-expanded", String(now));
    if (now && !details.hasChildNodes()) details.append(...more(r));
    open[now ? "add" : "delete"](r.id);
  };
  const button = h("button", { type: "button", class: "row request-row", "aria-expanded": "false", on: { click: toggle } },
    h("time", { class: "when number soft", datetime: r.at, title: r.at, text: timeOfDay(r.at) }),
    h("span", { class: `outcome outcome-${r.outcome}` }, h("span", { "aria-hidden": "true", text: SIGNS[r.outcome] ?? "?" }), r.outcome, h("span", { class: "soft number", text: r.status })),
    h("span", { class: "combo-name", text: r.combo ?? r.model }),
    h("span", { class: "target", text: r.target ?? "nobody" }),
    h("span", { class: "tries end number", text: sent }),
    h("span", { class: "first-token end number", text: r.first_token_ms === null ? "–" : duration(r.first_token_ms) }),
    h("span", { class: "total end number", text: duration(r.total_ms) }),
    h("span", { class: "turn" }, icon("turn", 14)));
  return { node: h("li", { data: { request: r.id } }, button, details) };
}

function more(r) {
  const usage = r.usage && `${count(r.usage.input_tokens)} in, ${count(r.usage.output_tokens)} out`;
  const facts = [
    ["Request", r.id], ["At", dateAndTime(r.at)], ["Endpoint", `${r.endpoint}${r.stream ? ", streamed" : ""}`], ["Model as named", r.model],
    ["Failure", r.kind && `${r.kind}${r.code ? `, told as ${r.code}` : ""}`], ["Client key", r.client_key],
    ["Try of the client", r.client_retry_count > 0 && `${r.client_retry_count + 1}`], ["Waited", duration(r.queue_ms)], ["Upstream", duration(r.upstream_ms)],
    ["Tokens", usage], ["Finished by", r.finish_reason], ["Upstream's id", r.upstream_request_id],
  ].filter(([, value]) => value);
  return [
    r.attempts.length ? waterfall(r) : h("p", { class: "soft", text: "No target was tried." }),
    h("dl", { class: "facts" }, facts.map(([what, value]) => h("div", null, h("dt", { text: what }), h("dd", { text: value })))),
  ];
}
