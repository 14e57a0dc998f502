// Fields of a form that follow a schema. Each knows its path, so that what is wrong can be said at its place.

import { attribute, h, newId, text } from "../core/dom.js";
import { form, itemOf, nameAlone, writable } from "../core/schema.js";
import { icon } from "../core/icons.js";

const words = (name) => {
  const said = name.replaceAll("_", " ");
  return (said[0].toUpperCase() + said.slice(1)).replace(/\b(url|api|id)\b/gi, (word) => word.toUpperCase());
};

// plain takes the marks out of a description.
const plain = (description) => description.replace(/[`*]/g, "");

const below = (path, name) => (path ? `${path}.${name}` : name);

// Form makes fields and finds them again by path.
export class Form {
  // suggest(path) gives what may be meant at a path, or nothing.
  constructor(suggest) {
    this.suggest = suggest;
    this.places = new Map(); // by path: {wrong, input}
  }

  // group makes the fields of an object. Below the top, members that are objects stand behind the others.
  group(schema, value, path, changed, locked = []) {
    const node = h("div", { class: "fields" });
    const write = (name, next) => {
      const whole = { ...value };
      if (next === undefined) delete whole[name];
      else whole[name] = next;
      value = whole;
      changed(value);
    };
    const required = new Set(schema.required ?? []);
    const folded = ([, member]) => ["group", "items"].includes(form(member));
    const members = writable(schema);
    for (const [name, member] of path === "" ? members : [...members.filter((m) => !folded(m)), ...members.filter(folded)]) {
      const at = below(path, name);
      const made = this.field(name, member, value?.[name], at, (next) => write(name, next), { required: required.has(name), locked: locked.includes(at) });
      node.append(made);
    }
    return node;
  }

  // field makes the field of one member.
  field(name, schema, value, path, changed, how = {}) {
    const make = { group: "fold", items: "items" }[form(schema)];
    return make ? this[make](name, schema, value, path, changed) : this.single(name, schema, value, path, changed, how);
  }

  // single is a field with one input, or one group of boxes to tick.
  single(name, schema, value, path, changed, { required = false, locked = false }) {
    const id = newId("f");
    const sort = form(schema);
    const wrong = h("p", { class: "wrong", id: `${id}-wrong` });
    const help = schema.description && h("p", { class: "help", id: `${id}-help`, text: plain(schema.description) });
    const input = inputs[sort](schema, value, changed, id);
    attribute(input, "data-path", path);
    attribute(input, "aria-describedby", `${id}-wrong${help ? ` ${id}-help` : ""}`);
    if (required) attribute(input, "aria-required", "true");
    if (locked) attribute(input, "disabled", true);
    const known = sort === "text" ? this.suggest?.(path) : null;
    if (known?.length) attribute(input, "list", `${id}-list`);
    this.places.set(path, { wrong, input });
    if (sort === "flag") {
      return h("div", { class: "field" }, h("div", { class: "check" }, input, h("label", { for: id, text: words(name) })), wrong, help);
    }
    if (sort === "choices") {
      const fold = h("details", { class: "sub wide", data: { fold: path } }, h("summary", null, words(name), h("span", { class: "soft chosen", text: chosen(value) })), help, input, wrong);
      input.addEventListener("change", () => text(fold.querySelector(".chosen"), chosen([...input.querySelectorAll(":checked")].map((box) => box.value))));
      this.places.set(path, { wrong, input: fold, open: () => (fold.open = true) });
      return fold;
    }
    return h("div", { class: sort === "json" ? "field wide" : "field" }, h("label", { for: id, text: words(name) + (required ? " *" : "") }), input, wrong, help,
      known?.length > 0 && h("datalist", { id: `${id}-list` }, known.map((each) => h("option", { value: each }))));
  }

  fold(name, schema, value, path, changed) {
    const wrong = h("p", { class: "wrong" });
    const inner = h("div");
    const fold = h("details", { class: "sub wide", data: { fold: path } }, h("summary", { text: words(name) }), schema.description && h("p", { class: "help", text: plain(schema.description) }), wrong, inner);
    // Made when it is opened: most are not, and some hold many fields.
    const fill = () => inner.hasChildNodes() || inner.append(this.group(schema, value ?? {}, path, (next) => {
      value = next;
      changed(next);
    }));
    fold.addEventListener("toggle", () => fold.open && fill());
    this.places.set(path, { wrong, input: fold, open: () => { fold.open = true; fill(); } });
    return fold;
  }

  // items is a list of objects, to which some can be added, and whose order can be changed.
  items(name, schema, value, path, changed) {
    const item = itemOf(schema);
    const wrong = h("p", { class: "wrong" });
    const list = h("div", { class: "items" });
    let all = [...(value ?? [])];
    const bare = nameAlone(schema);
    const draw = (focus) => {
      for (const known of [...this.places.keys()]) if (known.startsWith(`${path}[`)) this.places.delete(known);
      list.replaceChildren(...all.map((each, i) => one(each, i)));
      if (focus !== undefined) (list.children[focus] ?? add).querySelector?.("input, button, select")?.focus();
    };
    const set = (next, focus) => {
      all = next;
      changed(all);
      draw(focus);
    };
    const one = (each, i) => {
      const place = `${path}[${i}]`;
      const note = h("p", { class: "wrong" });
      const row = h("div", { class: "item", role: "group", "aria-label": `${words(name)} ${i + 1}` },
        h("div", null, note, this.group(item, typeof each === "string" ? { name: each } : each, place, (next) => {
          all[i] = bare && Object.keys(next).length === 1 && typeof next.name === "string" ? next.name : next;
          changed(all);
        })),
        h("div", { class: "item-tools" },
          tool("up", `Move ${words(name)} ${i + 1} up`, i === 0, () => set(swapped(all, i - 1), i - 1)),
          tool("down", `Move ${words(name)} ${i + 1} down`, i === all.length - 1, () => set(swapped(all, i), i + 1)),
          tool("close", `Remove ${words(name)} ${i + 1}`, false, () => set(all.toSpliced(i, 1), Math.min(i, all.length - 2)))));
      this.places.set(place, { wrong: note, input: row });
      return row;
    };
    const add = h("button", { type: "button", class: "tiny", on: { click: () => set([...all, {}], all.length) } }, icon("add", 14), `Add to ${words(name).toLowerCase()}`);
    const set_ = h("fieldset", { class: "wide" }, h("legend", { text: words(name) }), schema.description && h("p", { class: "help", text: plain(schema.description) }), wrong, list, h("div", { class: "more-items" }, add));
    this.places.set(path, { wrong, input: set_ });
    draw();
    return set_;
  }

  // show puts each problem at the field it is about, or at the nearest one above, and gives back the first field.
  show(problems) {
    for (const { wrong, input } of this.places.values()) {
      text(wrong, "");
      if (input.matches("input, select, textarea")) attribute(input, "aria-invalid", null);
    }
    let first = null;
    for (const { path, message } of problems) {
      const place = this.find(path);
      if (!place) continue;
      text(place.wrong, message);
      if (place.input.matches("input, select, textarea")) attribute(place.input, "aria-invalid", "true");
      first ??= place.input;
    }
    return first;
  }

  // find opens what is folded around a path and gives the field there, or the nearest above.
  find(path) {
    const steps = [...path.matchAll(/[^.[\]]+|\[\d+\]/g)].map(([step]) => step);
    let at = "", found = null;
    for (const step of steps) {
      at = step[0] === "[" ? at + step : below(at, step);
      const place = this.places.get(at);
      if (!place) continue;
      place.open?.();
      found = place;
    }
    return found;
  }
}

const chosen = (value) => (value?.length ? value.join(", ") : "none");

const tool = (name, label, disabled, click) => h("button", { type: "button", class: "plain", "aria-label": label, title: label, disabled, on: { click } }, icon(name, 15));

const swapped = (list, i) => list.with(i, list[i + 1]).with(i + 1, list[i]);

// inputs make the input of each sort of field; changed is told undefined for what is left empty.
const inputs = {
  text(schema, value, changed, id) {
    const input = h("input", { id, value: value ?? "", autocomplete: "off", spellcheck: "false", placeholder: schema.examples?.[0] ?? null, type: schema.format === "password" ? "password" : "text" });
    if (schema.format === "password") attribute(input, "autocomplete", "new-password");
    input.addEventListener("input", () => changed(input.value === "" && value === undefined ? undefined : input.value));
    return input;
  },
  number(schema, value, changed, id) {
    const input = h("input", { id, value: value ?? "", inputmode: "decimal", autocomplete: "off" });
    input.addEventListener("input", () => changed(numberOf(input.value, schema)));
    return input;
  },
  flag(schema, value, changed, id) {
    const input = h("input", { id, type: "checkbox" });
    input.checked = value ?? schema.default ?? false;
    input.addEventListener("change", () => changed(input.checked));
    return input;
  },
  choice(schema, value, changed, id) {
    const options = schema.enum.filter((each) => each !== null);
    const unset = value === undefined || value === "";
    const input = h("select", { id }, (unset && schema.default === undefined) && h("option", { value: "", text: "–" }), options.map((each) => h("option", { value: each, text: each, selected: each === (unset ? schema.default : value) })));
    input.addEventListener("change", () => changed(input.value === "" ? undefined : input.value));
    return input;
  },
  choices(schema, value, changed, id) {
    const chosen = new Set(value ?? []);
    const boxes = itemOf(schema).enum.map((each, i) => {
      const box = h("input", { type: "checkbox", id: `${id}-${i}`, value: each });
      box.checked = chosen.has(each);
      box.addEventListener("change", () => {
        chosen[box.checked ? "add" : "delete"](each);
        changed(chosen.size ? [...chosen] : undefined);
      });
      return h("label", { for: `${id}-${i}` }, box, each);
    });
    return h("div", { class: "choices", id, role: "group" }, boxes);
  },
  lines(_schema, value, changed, id) {
    const input = h("textarea", { id, rows: 2, spellcheck: "false", placeholder: "one a line" });
    input.value = (value ?? []).join("\n");
    input.addEventListener("input", () => changed(input.value.split("\n").map((line) => line.trim()).filter(Boolean)));
    return input;
  },
  json(_schema, value, changed, id) {
    const input = h("textarea", { id, rows: 3, spellcheck: "false", placeholder: "{}" });
    input.value = value && Object.keys(value).length ? JSON.stringify(value, null, 2) : "";
    input.addEventListener("input", () => {
      let next = {};
      try {
        next = input.value.trim() ? JSON.parse(input.value) : {};
      } catch {
        next = input.value; // the gateway says what is wrong with it
      }
      changed(next);
    });
    return input;
  },
};

// numberOf reads a number; what is none goes to the gateway as it is, which says what is wrong with it.
function numberOf(typed, schema) {
  const trimmed = typed.trim();
  if (trimmed === "") return [schema.type].flat().includes("null") ? null : undefined;
  const n = Number(trimmed);
  return Number.isFinite(n) ? n : trimmed;
}
