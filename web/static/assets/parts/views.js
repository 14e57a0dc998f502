// What stands behind each address of the page.

import * as board from "../views/board.js";
import * as breaker from "../views/breaker.js";
import * as combos from "../views/combos.js";
import * as keys from "../views/keys.js";
import * as providers from "../views/providers.js";
import * as requests from "../views/requests.js";
import * as stats from "../views/stats.js";
import * as timeline from "../views/timeline.js";
import { SORTS } from "./documents.js";
import { editor } from "./editor.js";

// edits shows a list, or the editor of one document of it: #/combos, #/combos/new, #/combos/NAME.
const edits = (collection, list) => (root, name) => {
  if (name === null) return list.mount(root);
  return editor(root, SORTS[collection], name === "new" ? null : name, `#/${collection}`);
};

export const VIEWS = [
  { id: "breakers", title: "Breakers", mount: (root, name) => (name === null ? board.mount(root) : breaker.mount(root, name)) },
  { id: "timeline", title: "Timeline", mount: timeline.mount },
  { id: "combos", title: "Combos", mount: edits("combos", combos) },
  { id: "requests", title: "Requests", mount: requests.mount },
  { id: "providers", title: "Providers", mount: edits("providers", providers) },
  { id: "keys", title: "Keys", mount: keys.mount },
  { id: "stats", title: "Totals", mount: stats.mount },
];

// viewOf reads an address such as "#/combos/fast"; the board is behind every other one.
export function viewOf(hash) {
  const [, id, ...rest] = hash.split("/");
  const view = VIEWS.find((each) => each.id === id) ?? VIEWS[0];
  let argument = null;
  try {
    if (view.id === id && rest.length) argument = decodeURIComponent(rest.join("/"));
  } catch {
    // An address that was cut short: the list.
  }
  return { view, argument };
}
