// Single keys for what is done often. They can be turned off, for those who speak to their computer.

import { h, newId } from "../core/dom.js";
import { remember, remembered } from "../core/prefs.js";
import { open } from "./dialog.js";
import { isolate, release, resetAll, resetBreaker } from "./operate.js";
import { VIEWS } from "./views.js";

const enabled = () => remembered("shortcuts", "on") === "on";

const cards = () => [...document.querySelectorAll(".card")];
const current = () => document.activeElement?.closest?.(".card");

function step(by) {
  const all = cards();
  const at = all.indexOf(current());
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function onCard(action) {
  const card = current();
  if (card) action(card.dataset.name, card.dataset.state);
}

// The table of keys: what is pressed, what it does, and how that is said.
const KEYS = [
  ["?", "this help", () => showHelp()],
  ["1", "the views, in their order", null, "1 – 7"],
  ["j", "the next breaker", () => step(1)],
  ["k", "the breaker before", () => step(-1)],
  ["Enter", "details of the breaker", () => onCard((name) => (location.hash = `#/breakers/${encodeURIComponent(name)}`))],
  ["r", "reset the breaker", () => onCard(resetBreaker)],
  ["i", "isolate or release the breaker", () => onCard((name, state) => (state === "ISOLATED" ? release(name) : isolate(name)))],
  ["R", "reset all breakers", resetAll, "Shift + R"],
  ["/", "find a breaker", () => document.querySelector("[data-key=find]")?.focus()],
  ["t", "light or dark", (frame) => frame.changeTheme()],
];

// startShortcuts listens until the function that it returns is called.
export function startShortcuts(frame) {
  const press = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !enabled()) return;
    const target = event.target;
    if (target.closest?.("input, textarea, select, [contenteditable], dialog")) return;
    if (event.key === "Enter" && !target.matches?.(".card")) return;
    const view = VIEWS[Number(event.key) - 1];
    const action = view ? () => (location.hash = `#/${view.id}`) : KEYS.find(([key, , act]) => key === event.key && act)?.[2];
    if (!action) return;
    event.preventDefault(); // first: the key must not end up in a field that the action gives the focus
    action(frame);
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

export function showHelp() {
  return open("Keyboard", (close, heading) => {
    const id = newId("shortcuts");
    const box = h("input", { id, type: "checkbox", on: { change: () => remember("shortcuts", box.checked ? "on" : "off") } });
    box.checked = enabled();
    return h("div", { class: "inner" }, heading,
      h("dl", { class: "keys-help" }, KEYS.flatMap(([key, what, , shown]) => [h("dt", null, h("kbd", { text: shown ?? key })), h("dd", { text: what })]),
        h("dt", null, h("kbd", { text: "Esc" })), h("dd", { text: "close a dialog" })),
      h("div", { class: "check" }, box, h("label", { for: id, text: "Single keys are shortcuts" })),
      h("div", { class: "dialog-foot" }, h("button", { type: "button", class: "primary", text: "Close", autofocus: true, on: { click: () => close() } })));
  });
}
