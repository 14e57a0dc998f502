// Dialogs. The browser keeps the focus inside, closes them with Escape, and gives the focus back.

import { h, newId } from "../core/dom.js";

// open shows a dialog with a title and content until it is closed; close(value) resolves the promise. Nothing of a closed
// dialog stays in the document, not even until the browser's "close" event, which comes later.
export function open(title, content, { wide = false } = {}) {
  const id = newId("dialog");
  const dialog = h("dialog", { "aria-labelledby": id, class: wide && "wide" });
  const opener = document.activeElement;
  return new Promise((resolve) => {
    const leave = (value) => {
      if (!dialog.isConnected) return;
      dialog.remove();
      if (opener?.isConnected) opener.focus();
      resolve(value);
    };
    const close = (value) => {
      dialog.close();
      leave(value);
    };
    dialog.addEventListener("close", () => leave(null)); // Escape
    dialog.append(content(close, h("h2", { id, text: title })));
    document.body.append(dialog);
    dialog.showModal();
  });
}

// ask wants a decision, with fields to fill in if there are any: {name, label, help, value, required, type}. It
// resolves to the fields' values, or to null if the answer is no.
export function ask({ title, lines = [], fields = [], yes, danger = false }) {
  return open(title, (close, heading) => {
    const inputs = new Map();
    const rows = fields.map((f) => {
      const id = newId("field");
      if (f.type === "checkbox") {
        const input = h("input", { id, type: "checkbox" });
        inputs.set(f.name, () => input.checked);
        return h("div", { class: "check" }, input, h("label", { for: id, text: f.label }));
      }
      const input = h("input", { id, value: f.value ?? "", required: f.required, maxlength: 200, autocomplete: "off", "aria-describedby": f.help && `${id}-help` });
      inputs.set(f.name, () => input.value.trim());
      return h("div", { class: "field" }, h("label", { for: id, text: f.label }), input,
        f.help && h("p", { class: "help", id: `${id}-help`, text: f.help }));
    });
    const submit = (event) => {
      event.preventDefault();
      close(Object.fromEntries([...inputs].map(([name, value]) => [name, value()])));
    };
    return h("form", { on: { submit } }, heading, ...lines.map((line) => h("p", { text: line })), ...rows,
      h("div", { class: "dialog-foot" },
        h("button", { type: "button", text: "Cancel", on: { click: () => close(null) } }),
        h("button", { type: "submit", class: danger ? "primary danger" : "primary", text: yes, autofocus: !fields.some((f) => f.type !== "checkbox") })));
  });
}
