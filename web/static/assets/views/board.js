// The board: every breaker, by provider, with what it counts and what it waits for.

import { attribute, h, keyed, text } from "../core/dom.js";
import { breakerName, count } from "../core/format.js";
import { shape, STATES, WORST } from "../core/states.js";
import { on, refresh, store } from "../core/store.js";
import { card } from "../parts/card.js";
import { resetAll } from "../parts/operate.js";

const SCOPES = ["provider", "key", "target"];
const TICK = 200; // ms between two steps of a countdown
const LOOK = 5000; // ms between two looks at what time alone changes
const MOST = 400; // cards at a time; a page of thousands is of no use to anybody

let chosen = ""; // the state that is shown alone; "" for all
let words = "";

export function mount(root) {
  const filters = h("div", { class: "filters", role: "group", "aria-label": "Show only" });
  const search = h("input", { type: "search", class: "search", placeholder: "Find a breaker", "aria-label": "Find a breaker", value: words, data: { key: "find" }, on: { input: () => { words = search.value; draw(); } } });
  const buttons = h("div", { class: "filters" });
  filters.append(buttons, search);
  const groups = h("div", { class: "view", data: { groups: "" } });
  const empty = h("div", { class: "empty panel" });
  const rest = h("p", { class: "soft", hidden: true });
  root.append(
    h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: "Breakers" }),
      h("div", { class: "push" }, h("button", { class: "danger", type: "button", data: { key: "reset-all" }, on: { click: resetAll } }, "Reset all…"))),
    filters, groups, rest, empty);

  function draw() {
    const all = [...store.breakers.values()];
    keyed(buttons, ["", ...WORST], (state) => state, filterButton);
    for (const part of buttons.keyedParts.values()) part.show(all);
    const fitting = all.filter(({ b }) => (!chosen || b.state === chosen) && b.name.toLowerCase().includes(words.trim().toLowerCase()));
    const sick = fitting.filter(({ b }) => b.state !== "CLOSED");
    const shown = [...sick, ...fitting.filter(({ b }) => b.state === "CLOSED")].slice(0, MOST);
    const byProvider = Map.groupBy(shown, ({ b }) => breakerName(b.name).provider);
    const troubled = new Set(sick.map(({ b }) => breakerName(b.name).provider));
    const order = [...byProvider].sort(([a], [b]) => troubled.has(b) - troubled.has(a) || a.localeCompare(b));
    keyed(groups, order, ([provider]) => provider, group);
    attribute(rest, "hidden", fitting.length <= MOST);
    text(rest, `${count(fitting.length - shown.length)} more are not shown: find them by their names.`);
    attribute(empty, "hidden", shown.length > 0);
    text(empty, all.length ? "No breaker fits this filter." : "There are no breakers yet: make a provider first.");
  }

  function filterButton(state) {
    const n = h("span", { class: "number" });
    const node = h("button", { type: "button", class: `filter state-${state}`, on: { click: () => { chosen = chosen === state ? "" : state; draw(); } } },
      state && shape(state, 14), state || "All", n);
    return {
      node,
      show(all) {
        const number = state ? all.filter(({ b }) => b.state === state).length : all.length;
        text(n, count(number));
        node.classList.toggle("none", number === 0);
        attribute(node, "aria-pressed", chosen === state ? "true" : "false");
      },
    };
  }

  const stopListening = [on("breakers explanations", draw)];
  const ticking = setInterval(() => groups.querySelectorAll(".cards").forEach((cards) => cards.keyedParts.forEach((part) => part.tick())), TICK);
  const looking = setInterval(() => {
    if ([...store.breakers.values()].some(({ b }) => b.state !== "CLOSED" || b.measure_value > 0)) refresh();
  }, LOOK);
  draw();
  return () => {
    stopListening.forEach((stop) => stop());
    clearInterval(ticking);
    clearInterval(looking);
  };
}

function group([provider]) {
  const cards = h("div", { class: "cards" });
  const summary = h("span", { class: "soft small" });
  const node = h("section", { class: "group", "aria-label": `Breakers of ${provider}` },
    h("div", { class: "group-head" }, h("h2", { text: provider }), summary), cards);
  return {
    node,
    update([, list]) {
      list.sort((x, y) => SCOPES.indexOf(x.b.scope) - SCOPES.indexOf(y.b.scope) || x.b.name.localeCompare(y.b.name));
      keyed(cards, list, ({ b }) => b.name, ({ b }) => card(b.name));
      const sick = STATES.slice(1).map((state) => [state, list.filter(({ b }) => b.state === state).length]).filter(([, n]) => n);
      text(summary, sick.length ? sick.map(([state, n]) => `${n} ${state}`).join(", ") : "all CLOSED");
    },
  };
}
