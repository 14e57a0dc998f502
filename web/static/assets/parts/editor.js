// The editor of a document: as a form or as JSON, with what is wrong at its place, and with care for other operators.

import { create, read, Refusal, write } from "../core/api.js";
import { attribute, h, replace, text } from "../core/dom.js";
import { positionOf } from "../core/position.js";
import { schemaOf, written } from "../core/schema.js";
import { toast } from "../core/say.js";
import { loadProviders, on, store } from "../core/store.js";
import { Form } from "./fields.js";
import { resolveConflict } from "./conflict.js";

// editor mounts the editor of one document. sort is {collection, noun, nameMember, schema, start}; name is null for a
// new one; done is where to go afterwards.
export function editor(root, sort, name, done) {
  const base = `/api/v1/${sort.collection}`;
  const path = name === null ? base : `${base}/${encodeURIComponent(name)}`;
  let document = sort.start, etag = null, schema = null, form = null, mode = "form", fromFile = false;

  const problems = h("div", { class: "note bad problems", hidden: true, role: "alert", tabindex: -1 });
  const stale = h("div", { class: "note warn", hidden: true, role: "status" });
  const body = h("div", { class: "panel-body" });
  const tabs = ["form", "json"].map((each) => h("button", { type: "button", role: "tab", id: `tab-${each}`, "aria-controls": "tabpanel", text: each === "form" ? "Form" : "JSON", on: { click: () => show(each) } }));
  tabs.forEach((tab, i) => tab.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    tabs[1 - i].click();
    tabs[1 - i].focus();
  }));
  const save = h("button", { type: "submit", class: "primary", text: name === null ? `Make the ${sort.noun}` : "Save" });
  const page = h("form", { class: "panel", "aria-label": `The ${sort.noun}`, novalidate: true, on: { submit: (event) => { event.preventDefault(); send(); } } },
    h("div", { class: "panel-head" }, h("div", { class: "tabs", role: "tablist", "aria-label": "Edit as" }, tabs)),
    h("div", { role: "tabpanel", id: "tabpanel" }, body),
    h("div", { class: "editor-foot" }, save, h("a", { class: "button plain", href: done, text: "Cancel" }), h("span", { class: "push soft small", text: "Acts on the next request." })));
  root.append(
    h("div", { class: "page-head" }, h("h1", { tabindex: -1, text: name === null ? `New ${sort.noun}` : `${sort.noun[0].toUpperCase()}${sort.noun.slice(1)} ${name}` })),
    stale, problems, page);

  // suggest gives the names that a target may have.
  function suggest(at) {
    if (/^targets\[\d+\]\.provider$/.test(at)) return (store.providers ?? []).map((p) => p.id);
    if (/^targets\[\d+\]\.combo$/.test(at)) return (store.combos ?? []).map((c) => c.name).filter((each) => each !== name);
    if (/^targets\[\d+\]\.model$/.test(at)) return [...new Set((store.providers ?? []).flatMap((p) => p.models.map((m) => m.name ?? m)))];
    return [];
  }

  function show(wanted) {
    if (wanted === "form" && mode === "json" && !takeJSON()) return;
    mode = wanted;
    tabs.forEach((tab) => {
      const selected = tab.id === `tab-${mode}`;
      attribute(tab, "aria-selected", String(selected));
      attribute(tab, "tabindex", selected ? "0" : "-1");
      if (selected) attribute(page.querySelector("#tabpanel"), "aria-labelledby", tab.id);
    });
    draw();
  }

  function draw() {
    if (!schema) return;
    if (mode === "json") {
      const area = h("textarea", { spellcheck: "false", "aria-label": `The ${sort.noun} as JSON`, data: { json: "" }, on: { input: () => (store.unsaved = true) } });
      area.value = JSON.stringify(document, null, 2);
      replace(body, h("div", { class: "json" }, area));
    } else {
      form = new Form(suggest);
      replace(body, form.group(schema, document, "", (next) => {
        document = next;
        store.unsaved = true;
      }, name === null ? [] : [sort.nameMember]));
    }
    body.querySelectorAll("input, select, textarea, button").forEach((each) => fromFile && attribute(each, "disabled", true));
    attribute(save, "disabled", fromFile);
  }

  // takeJSON reads what stands in the text. It is false, and says where, if it is not JSON.
  function takeJSON() {
    const area = body.querySelector("textarea");
    try {
      document = JSON.parse(area.value);
      tell("", []);
      return true;
    } catch (error) {
      tell("This is not JSON.", [{ path: "", message: error.message }]);
      return false;
    }
  }

  // tell lists what is wrong, and shows it where it is wrong.
  function tell(message, list) {
    attribute(problems, "hidden", !message);
    replace(problems, h("h2", { text: message }), list.length > 0 && h("ul", null, list.map((p) => h("li", null,
      p.path && h("button", { type: "button", text: p.path, on: { click: () => goTo(p.path) } }), p.path ? `: ${p.message}` : p.message))));
    if (mode === "form") form?.show(list.filter((p) => p.path));
    else attribute(body.querySelector("textarea"), "aria-invalid", message ? "true" : null);
  }

  function goTo(at) {
    if (mode === "form") {
      const place = form.find(at);
      const target = place?.input.matches("input, select, textarea") ? place.input : place?.input.querySelector("input, select, textarea, button, summary");
      target?.focus();
      target?.scrollIntoView({ block: "center" });
      return;
    }
    const area = body.querySelector("textarea");
    const { start, end } = positionOf(area.value, at);
    area.focus();
    area.setSelectionRange(start, end);
    area.scrollTop = Math.max(0, (area.value.slice(0, start).split("\n").length - 6) * parseFloat(getComputedStyle(area).lineHeight));
  }

  async function send() {
    if (mode === "json" && !takeJSON()) return;
    attribute(save, "disabled", true);
    try {
      const answer = name === null ? await create(base, document) : await write(path, document, etag);
      store.unsaved = false;
      toast(`The ${sort.noun} ${answer.data[sort.nameMember]} is ${name === null ? "made" : "saved"}.`);
      location.hash = done;
    } catch (error) {
      await refused(error);
    } finally {
      attribute(save, "disabled", false);
    }
  }

  async function refused(error) {
    if (error instanceof Refusal && error.current) {
      const answer = await resolveConflict(sort.noun, written(error.current), document);
      if (answer === "theirs") load(error.current, error.etag);
      if (answer === "mine") {
        etag = error.etag;
        attribute(stale, "hidden", true);
        await send();
      }
      return;
    }
    const details = error instanceof Refusal ? error.details.filter((d) => d.path || error.status === 400) : [];
    tell(details.length ? `${details.length === 1 ? "One thing is" : `${details.length} things are`} wrong with it.` : error.message, details);
    problems.focus();
    problems.scrollIntoView({ block: "nearest" });
  }

  function load(data, version) {
    document = written(data);
    etag = version;
    fromFile = data.managed_by === "file";
    store.unsaved = false;
    attribute(stale, "hidden", !fromFile);
    replace(stale, fromFile && `This ${sort.noun} comes from the configuration file and is changed there.`);
    tell("", []);
    draw();
  }

  const stop = on("config", async (change) => {
    if (name === null || change.collection !== sort.collection || change.id !== name || change.action === "created") return;
    const now = change.action === "deleted" ? null : await read(path).catch(() => null);
    if (now?.etag === etag) return;
    if (now && !store.unsaved) return load(now.data, now.etag);
    attribute(stale, "hidden", false);
    replace(stale, now ? "Somebody else has changed it since you opened it. Saving will show you both." : "Somebody else has deleted it.");
  });

  show("form");
  text(body, "Reading…");
  Promise.all([schemaOf(sort.schema), name === null ? null : read(path), store.providers ?? loadProviders()]).then(([described, found]) => {
    schema = described;
    if (found) load(found.data, found.etag);
    else draw();
  }, (error) => text(body, error.message));
  return () => {
    store.unsaved = false;
    stop();
  };
}
