// Client keys: who may send requests here.

import { create, remove } from "../core/api.js";
import { attribute, h, keyed, newId, replace, text } from "../core/dom.js";
import { dateAndTime, count } from "../core/format.js";
import { icon } from "../core/icons.js";
import { loadKeys, on, store } from "../core/store.js";
import { toast } from "../core/say.js";
import { ask, open } from "../parts/dialog.js";

export function mount(root) {
  const rows = h("ul", { class: "rows", "aria-label": "Client keys" });
  const panel = h("section", { class: "panel", "aria-label": "Client keys" },
    h("div", { class: "row row-head key-row", "aria-hidden": "true" }, ["Name", "May use", "Expires", "Limits", ""].map((word) => h("span", { text: word }))), rows);
  const empty = h("div", { class: "empty panel" }, h("strong", { text: "No client keys" }), "Without any, a loopback listener is open to every program of this machine. From the first key on, one is required.");
  root.append(
    h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: "Client keys" }),
      h("div", { class: "push" }, h("button", { class: "primary", type: "button", data: { key: "new-key" }, on: { click: make } }, icon("add", 16), "New key"))),
    panel, empty);
  function draw() {
    const list = store.keys ?? [];
    attribute(panel, "hidden", list.length === 0);
    attribute(empty, "hidden", !store.keys || list.length > 0);
    keyed(rows, list, (k) => k.id, row);
  }
  const load = () => loadKeys().catch(() => {});
  const stop = [on("keys", draw), on("reloaded", load)];
  draw();
  load();
  return () => stop.forEach((each) => each());
}

function row(k) {
  const cells = ["", "small", "small", "small"].map((className) => h("div", { class: className }));
  const revoke = h("button", { class: "tiny danger", type: "button", text: "Revoke", "aria-label": `Revoke key ${k.name}`, on: { click: () => revokeKey(k) } });
  return {
    node: h("li", null, h("div", { class: "row key-row" }, cells, h("div", { class: "row-actions" }, revoke))),
    update(key) {
      const limits = [key.requests_per_minute && `${count(key.requests_per_minute)} a minute`, key.parallel && `${count(key.parallel)} at once`].filter(Boolean);
      replace(cells[0], h("strong", { text: key.name }), h("div", { class: "soft small", text: key.managed_by === "file" ? "from the file" : `made ${dateAndTime(key.created_at)}` }));
      text(cells[1], key.combos.length ? key.combos.join(", ") : "every combo");
      text(cells[2], key.expires_at ? `until ${dateAndTime(key.expires_at)}` : "never expires");
      text(cells[3], limits.join(", ") || "no limit");
      attribute(revoke, "hidden", key.managed_by === "file");
    },
  };
}

async function revokeKey({ id, name }) {
  if (!await ask({ title: `Revoke key ${name}?`, lines: ["Programs that use it are refused from the next request on. It can't be undone."], yes: "Revoke", danger: true })) return;
  try {
    await remove(`/api/v1/keys/${encodeURIComponent(id)}`);
    toast(`The key ${name} is revoked.`);
  } catch (error) {
    toast(error.message, true);
  }
  await loadKeys().catch(() => {});
}

// The fields of a new key: member, label, help, and how the input is read.
const FIELDS = [
  ["name", "Name", "Who or what uses it.", (v) => v],
  ["combos", "May use", "Combos and provider/models, divided by commas. Empty: all.", (v) => (v ? v.split(",").map((each) => each.trim()).filter(Boolean) : undefined)],
  ["expires_at", "Expires", "Empty: never.", (v) => (v ? new Date(v).toISOString() : undefined)],
  ["requests_per_minute", "Requests per minute", "Empty: no limit.", (v) => (v ? Number(v) : undefined)],
  ["parallel", "Requests at once", "Empty: no limit.", (v) => (v ? Number(v) : undefined)],
];

async function make() {
  const key = await open("New client key", (close, heading) => {
    const problem = h("p", { class: "note bad", hidden: true, role: "alert" });
    const fields = FIELDS.map(([name, label, help, value]) => {
      const id = newId("key");
      const type = name === "expires_at" ? "datetime-local" : "text";
      const input = h("input", { id, type, autocomplete: "off", "aria-describedby": `${id}-help ${id}-wrong`, inputmode: name === "parallel" || name === "requests_per_minute" ? "numeric" : null });
      const wrong = h("p", { class: "wrong", id: `${id}-wrong` });
      return { name, input, wrong, value, node: h("div", { class: "field" }, h("label", { for: id, text: label }), input, wrong, h("p", { class: "help", id: `${id}-help`, text: help })) };
    });
    const submit = async (event) => {
      event.preventDefault();
      const body = {};
      for (const f of fields) {
        body[f.name] = f.value(f.input.value.trim());
        text(f.wrong, "");
        attribute(f.input, "aria-invalid", null);
      }
      try {
        close((await create("/api/v1/keys", body)).data);
      } catch (error) {
        const details = error.details ?? [];
        const elsewhere = [];
        for (const { path, message } of details) {
          const f = fields.find((each) => path === each.name || path.startsWith(`${each.name}[`));
          if (!f) {
            elsewhere.push(message);
            continue;
          }
          text(f.wrong, message);
          attribute(f.input, "aria-invalid", "true");
        }
        attribute(problem, "hidden", details.length > 0 && elsewhere.length === 0);
        text(problem, elsewhere.join("; ") || error.message);
        fields.find((f) => f.input.getAttribute("aria-invalid"))?.input.focus();
      }
    };
    return h("form", { novalidate: true, on: { submit } }, heading, problem, fields.map((f) => f.node),
      h("div", { class: "dialog-foot" }, h("button", { type: "button", text: "Cancel", on: { click: () => close(null) } }), h("button", { type: "submit", class: "primary", text: "Make the key" })));
  });
  if (!key) return;
  loadKeys().catch(() => {});
  await showSecret(key);
}

// showSecret shows the key itself, which the gateway does not keep.
function showSecret(key) {
  return open(`The key ${key.name}`, (close, heading) => {
    const id = newId("secret");
    const input = h("input", { id, readonly: true, value: key.key, data: { secret: "" }, on: { focus: () => input.select() } });
    const copy = h("button", { type: "button", text: "Copy", on: { click: async () => {
      try {
        await navigator.clipboard.writeText(key.key);
        text(copy, "Copied");
      } catch {
        input.focus();
      }
    } } });
    return h("div", { class: "inner" }, heading,
      h("p", { class: "note warn", text: "It is shown this once. Only its hash is kept." }),
      h("div", { class: "field" }, h("label", { for: id, text: "Key" }), h("div", { class: "secret" }, input, copy)),
      h("div", { class: "dialog-foot" }, h("button", { type: "button", class: "primary", text: "Done", on: { click: () => close() } })));
  });
}
