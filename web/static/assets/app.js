// The dashboard: logs in, follows the gateway's events, and shows one view at a time.

import { get, onLoggedOut, post, remove } from "./core/api.js";
import { h, replace } from "./core/dom.js";
import { announce } from "./core/say.js";
import { changed, loadAll, store, take } from "./core/store.js";
import { Stream } from "./core/stream.js";
import { REASONS } from "./core/states.js";
import { login } from "./views/login.js";
import { shell } from "./parts/shell.js";
import { startShortcuts } from "./parts/shortcuts.js";

const app = document.getElementById("app");
let stream = null;
let leave = () => {};

// enter shows the dashboard to somebody who is logged in.
function enter(session) {
  store.session = session;
  const frame = shell(app, { logOut, retry: () => stream.retry() });
  const stopShortcuts = startShortcuts(frame);
  stream = new Stream({
    onEvent(event) {
      if (event.type === "breaker.transition") tell(event.data);
      take(event);
    },
    onOpen: () => loadAll().catch(() => {}), // also when it is resumed: not everything that changes is an event
    async onPhase(phase, detail) {
      if (phase === "refused") return detail === 401 && loggedOut();
      store.phase = phase;
      store.retryAt = phase === "cut" ? detail : 0;
      changed("phase");
    },
  });
  leave = () => {
    leave = () => {};
    stream.stop();
    stopShortcuts();
    frame.close();
  };
  stream.start();
}

const tell = (t) => announce(`${t.name} is ${t.to.replace("_", " ")}: ${REASONS[t.reason] ?? t.reason}`);

function showLogin(message) {
  login(app, message, async (token) => enter(await post("/api/v1/session", { token })));
}

function loggedOut() {
  if (!store.session) return;
  store.session = null;
  leave();
  showLogin("Your session has ended. Log in again.");
}

async function logOut() {
  store.session = null;
  leave();
  await remove("/api/v1/session").catch(() => {});
  location.hash = "";
  location.reload(); // so that nothing of what was shown stays in memory
}

async function start() {
  onLoggedOut(loggedOut);
  try {
    const session = await get("/api/v1/session");
    if (session.open) enter(session);
    else showLogin("");
  } catch (error) {
    replace(app, h("div", { class: "login" }, h("div", { class: "panel empty", role: "alert" }, h("strong", { text: "The dashboard can't begin" }), h("p", { text: error.message }),
      h("p", null, h("button", { type: "button", text: "Try again", on: { click: () => location.reload() } })))));
  }
}

start();
