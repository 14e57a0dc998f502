// The frame around every view: navigation, the state of the event stream, and what the operator has to know at once.

import { attribute, h, keyed, replace, text } from "../core/dom.js";
import { countdown, duration } from "../core/format.js";
import { icon } from "../core/icons.js";
import { isDark, toggleTheme } from "../core/prefs.js";
import { loadBreakers, on, store } from "../core/store.js";
import { ask } from "./dialog.js";
import { showHelp } from "./shortcuts.js";
import { VIEWS, viewOf } from "./views.js";

export function shell(root, { logOut, retry }) {
  let unmount = () => {};
  let shown = ""; // the address of what is shown
  let heading = "";
  const links = VIEWS.map(({ id, title }) => h("a", { href: `#/${id}`, data: { view: id } }, icon(id === "breakers" ? "board" : id), title));
  const sick = h("span", { class: "count", hidden: true });
  links[0].append(sick);
  const lives = [live(retry), live(retry)]; // one for each width
  const banners = h("div", { class: "banners" });
  const view = h("main", { class: "view", id: "main", tabindex: -1 });
  const frame = h("div", { class: "shell" },
    h("header", { class: "topbar" }, brand(), lives[0].node, tools()),
    h("aside", { class: "side", "aria-label": "Dashboard" }, brand(),
      h("nav", { class: "nav", "aria-label": "Views" }, links),
      h("div", { class: "side-foot" }, h("div", null, lives[1].node), tools(),
        h("p", { class: "version" }, `${store.session.version ? `version ${store.session.version}` : ""}`))),
    h("div", { class: "content" }, h("div", { class: "content-inner" }, banners, view)));
  replace(root, frame);

  function tools() {
    const theme = h("button", { type: "button", class: "plain", "aria-label": "Light or dark", title: "Light or dark (t)", "aria-pressed": String(isDark()), data: { key: "theme" }, on: { click: changeTheme } }, icon("theme"));
    return h("div", { class: "tools" }, theme,
      h("button", { type: "button", class: "plain", "aria-label": "Help and shortcuts", title: "Help and shortcuts (?)", data: { key: "help" }, on: { click: showHelp } }, icon("help")),
      h("button", { type: "button", class: "plain", "aria-label": "Log out", title: "Log out", data: { key: "log-out" }, on: { click: logOut } }, icon("logout")));
  }

  function changeTheme() {
    toggleTheme();
    frame.querySelectorAll("[data-key=theme]").forEach((button) => attribute(button, "aria-pressed", String(isDark())));
  }

  function go() {
    unmount();
    shown = location.hash;
    const { view: now, argument } = viewOf(location.hash);
    links.forEach((link) => attribute(link, "aria-current", link.dataset.view === now.id ? "page" : null));
    replace(view);
    unmount = now.mount(view, argument) ?? (() => {});
    const title = view.querySelector("h1");
    heading = title?.textContent ?? now.title;
    drawCount();
    window.scrollTo(0, 0);
    return title;
  }

  async function navigate() {
    if (store.unsaved && location.hash !== shown) {
      const wanted = location.hash;
      history.replaceState(null, "", shown || "#/");
      const leave = await ask({ title: "Leave without saving?", lines: ["What you have changed here is lost."], yes: "Leave", danger: true });
      if (!leave) return;
      store.unsaved = false;
      location.hash = wanted;
      return;
    }
    go()?.focus({ preventScroll: true });
  }
  const stay = (event) => store.unsaved && event.preventDefault();

  function drawBanners() {
    const list = [];
    const { status, oldest_unsaved_ms: age } = store.persistence ?? {};
    if (status === "degraded") list.push({ key: "store", className: "note warn", words: `The store is broken: breakers work from memory, and the oldest unsaved change is ${duration(age)} old. Changes of the configuration are refused.` });
    if (store.failure && store.phase === "live") list.push({ key: "failure", className: "note bad", words: `What is shown may be old, reading it failed: ${store.failure}.` });
    keyed(banners, list, (b) => b.key, (b) => ({ node: h("p", { class: b.className, role: "alert" }), update(now) { text(this.node, now.words); } }));
  }

  function drawCount() {
    const n = [...store.breakers.values()].filter(({ b }) => b.state === "OPEN" || b.state === "ISOLATED").length;
    attribute(sick, "hidden", n === 0);
    text(sick, n);
    attribute(sick, "aria-label", `${n} open or isolated`);
    attribute(sick, "role", "img");
    document.title = `${n ? `(${n}) ` : ""}${heading} · ohmroute`;
  }

  const stop = [on("persistence failure phase", drawBanners), on("breakers", drawCount), on("phase", () => lives.forEach((each) => each.draw()))];
  const ticking = setInterval(() => lives.forEach((each) => each.draw()), 250);
  const unsaved = setInterval(() => store.persistence?.status === "degraded" && loadBreakers().catch(() => {}), 2000);
  window.addEventListener("hashchange", navigate);
  window.addEventListener("beforeunload", stay);
  go();
  return {
    changeTheme,
    close() {
      window.removeEventListener("hashchange", navigate);
      window.removeEventListener("beforeunload", stay);
      stop.forEach((each) => each());
      clearInterval(ticking);
      clearInterval(unsaved);
      unmount();
    },
  };
}

const brand = () => h("div", { class: "brand" }, h("img", { src: "/assets/icon.svg", alt: "", width: 26, height: 26 }), h("span", { text: "ohmroute" }));

// live tells whether what is shown is up to date.
function live(retry) {
  const words = h("span", { class: "number" });
  const said = h("span", { class: "hidden", role: "status" });
  const again = h("button", { type: "button", text: "Now", "aria-label": "Connect now", hidden: true, on: { click: retry } });
  const node = h("div", { class: "live", data: { phase: "" } }, words, said, again);
  return {
    node,
    draw() {
      const { phase, retryAt } = store;
      text(words, { live: "Live", connecting: "Connecting…", paused: "Paused" }[phase] ?? `Cut off, again in ${countdown(Math.max(0, retryAt - Date.now()))}`);
      attribute(again, "hidden", phase !== "cut");
      if (node.dataset.phase === phase) return;
      text(said, phase === "cut" ? "The event stream is cut. What is shown may be old." : node.dataset.phase === "cut" && phase === "live" ? "The event stream is back." : "");
      node.dataset.phase = phase;
    },
  };
}
