// Two operators have changed the same document: both versions side by side, and a decision.

import { h } from "../core/dom.js";
import { open } from "./dialog.js";

const shown = (value) => (value === undefined ? "not set" : JSON.stringify(value, null, 2));

// differences are the members in which two documents differ.
export function differences(theirs, mine) {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  return names.filter((name) => JSON.stringify(theirs[name]) !== JSON.stringify(mine[name]));
}

// resolveConflict gives "theirs", "mine" or null for neither yet.
export function resolveConflict(noun, theirs, mine) {
  const names = differences(theirs, mine);
  return open(`Somebody else has changed this ${noun}`, (close, heading) => h("div", { class: "inner" }, heading,
    h("p", { text: names.length ? "It was saved since you opened it. These parts differ:" : "It was saved since you opened it, and says what yours says." }),
    h("ul", { class: "differences" }, names.map((name) => h("li", null, h("h4", { text: name }),
      h("div", null, h("div", { class: "soft small", text: "now" }), h("pre", { text: shown(theirs[name]) })),
      h("div", null, h("div", { class: "soft small", text: "yours" }), h("pre", { text: shown(mine[name]) }))))),
    h("div", { class: "dialog-foot" },
      h("button", { type: "button", text: "Go on editing", on: { click: () => close(null) } }),
      h("button", { type: "button", text: "Take theirs", on: { click: () => close("theirs") } }),
      h("button", { type: "button", class: "primary danger", text: "Overwrite with mine", on: { click: () => close("mine") } }))), { wide: true });
}
