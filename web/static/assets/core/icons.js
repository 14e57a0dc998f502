// Drawn icons of 18 x 18, in the colour of the text beside them.

import { s } from "./dom.js";

const paths = {
  board: "M2.5 3h5.5v5H2.5zM10 3h5.5v5H10zM2.5 10h5.5v5H2.5zM10 10h5.5v5H10z",
  timeline: "M2 5h6M11 5h5M2 9h3M8 9h8M2 13h8M13 13h3",
  combos: "M3 4.5h3.5L11 13.5h4M3 13.5h3.5l1.2-2.4M10 6.9l1.2-2.4H15M13.2 2.7 15 4.5l-1.8 1.8M13.2 11.7l1.8 1.8-1.8 1.8",
  requests: "M2.5 4h8M2.5 9h4M8.5 9h7M2.5 14h3M7.5 14h5",
  providers: "M3 3.5h12v4.5H3zM3 10h12v4.5H3zM5.7 5.7h.1M5.7 12.2h.1M9 5.7h3.5M9 12.2h3.5",
  keys: "M8.2 9.8l6.3-6.3M12 6l2 2M10 8l1.5 1.5M8.6 12.2a3 3 0 1 1-6 0 3 3 0 0 1 6 0z",
  stats: "M3 15V9.5M7 15V4M11 15v-7M15 15V6",
  theme: "M9 2.5a6.5 6.5 0 1 0 6.5 6.5A5 5 0 0 1 9 2.5z",
  help: "M6.6 6.8a2.4 2.4 0 1 1 3.3 2.2c-.6.3-.9.7-.9 1.4M9 13.1v.1M16 9A7 7 0 1 1 2 9a7 7 0 0 1 14 0z",
  logout: "M7 3H3.5v12H7M11.5 5.5 15 9l-3.5 3.5M15 9H7",
  turn: "M7 4.5 11.5 9 7 13.5",
  up: "M9 14V4M5 8l4-4 4 4",
  down: "M9 4v10M5 10l4 4 4-4",
  close: "M4.5 4.5l9 9M13.5 4.5l-9 9",
  add: "M9 3.5v11M3.5 9h11",
};

export function icon(name, size = 18) {
  return s("svg", { width: size, height: size, viewBox: "0 0 18 18", "aria-hidden": "true" },
    s("path", { d: paths[name], fill: "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-linecap": "round", "stroke-linejoin": "round" }));
}
