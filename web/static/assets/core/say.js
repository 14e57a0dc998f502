// Short messages: shown for a while, and read out by screen readers.

import { h } from "./dom.js";

const SHOWN = 6000;
const BURST = 500; // ms within which changes are read out together

// toast shows what an action has done.
export function toast(message, bad = false) {
  const node = h("div", { class: bad ? "toast bad" : "toast", text: message });
  const place = document.getElementById("toasts");
  place.append(node);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => node.remove(), SHOWN);
}

let waiting = [];

// announce reads a change out without showing it; it is on the page already.
export function announce(sentence) {
  if (waiting.push(sentence) > 1) return;
  setTimeout(() => {
    const log = document.getElementById("announcer");
    const said = waiting.length > 4 ? [`${waiting.length} changes of state, the last one: ${waiting.at(-1)}`] : waiting;
    log.append(...said.map((line) => h("p", { text: line })));
    while (log.children.length > 20) log.firstChild.remove();
    waiting = [];
  }, BURST);
}
