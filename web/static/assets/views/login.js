// Logging in with the admin token.

import { attribute, h, replace, text } from "../core/dom.js";

export function login(root, message, enter) {
  const note = h("p", { class: "note", hidden: !message, text: message, role: "status" });
  const wrong = h("p", { class: "wrong", id: "token-wrong", role: "alert" });
  const token = h("input", { id: "token", type: "password", name: "token", autocomplete: "current-password", required: true, spellcheck: "false", "aria-describedby": "token-help token-wrong" });
  const submitButton = h("button", { type: "submit", class: "primary", text: "Log in" });
  async function submit(event) {
    event.preventDefault();
    const typed = token.value.trim();
    if (!typed) return token.focus();
    attribute(submitButton, "disabled", true);
    text(wrong, "");
    try {
      await enter(typed);
    } catch (error) {
      text(wrong, error.code === "invalid_admin_token" ? "This is not the admin token." : error.message);
      attribute(token, "aria-invalid", "true");
      token.select();
    } finally {
      attribute(submitButton, "disabled", false);
    }
  }
  replace(root, h("main", { class: "login", id: "main", tabindex: -1 }, h("form", { class: "panel", novalidate: true, on: { submit } },
    h("div", { class: "brand" }, h("img", { src: "/assets/icon.svg", alt: "", width: 32, height: 32 }), h("h1", { text: "ohmroute" })),
    note,
    h("div", { class: "field" }, h("label", { for: "token", text: "Admin token" }), token, wrong,
      h("p", { class: "help", id: "token-help" }, "It stands in ", h("code", { text: "admin.token" }), " in the gateway's data directory.")),
    submitButton)));
  document.title = "Log in · ohmroute";
  token.focus();
}
