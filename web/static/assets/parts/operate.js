// What an operator does to breakers, each asked for once more.

import { breakerPath, post } from "../core/api.js";
import { plural } from "../core/format.js";
import { remember, remembered } from "../core/prefs.js";
import { toast } from "../core/say.js";
import { loadBreakers, loadExplanations } from "../core/store.js";
import { ask } from "./dialog.js";

// act runs an action, shows what came of it, and reads what it changed.
async function act(action, said) {
  try {
    const answer = await action();
    const unsaved = answer.persistence === "degraded" ? " It is in memory only: the store is broken." : "";
    toast(said(answer) + unsaved);
  } catch (error) {
    toast(error.message, true);
  }
  await Promise.all([loadBreakers(), loadExplanations()]).catch(() => {});
}

export async function resetBreaker(name) {
  const sure = await ask({
    title: `Reset ${name}?`, yes: "Reset",
    lines: ["It becomes CLOSED and forgets its failures, its wait and its park. Requests go there at once."],
  });
  if (sure) await act(() => post(`${breakerPath(name)}/reset`, {}), () => `${name} is reset.`);
}

export async function resetAll() {
  const sure = await ask({
    title: "Reset all breakers?", yes: "Reset all", danger: true,
    lines: ["Every breaker becomes CLOSED and forgets its failures. Requests go to every target at once, to those that are down as well."],
    fields: [{ name: "include_isolated", label: "Release what operators hold, too", type: "checkbox" }],
  });
  if (!sure) return;
  await act(() => post("/api/v1/breakers/reset", sure), ({ reset, isolated }) =>
    `${plural(reset.length, "breaker")} reset.${isolated.length ? ` ${plural(isolated.length, "isolated one")} left alone.` : ""}`);
}

export async function isolate(name) {
  const note = await ask({
    title: `Isolate ${name}?`, yes: "Isolate", danger: true,
    lines: ["No request reaches it, by any path, until somebody releases it."],
    fields: [
      { name: "by", label: "Your name", value: remembered("operator", ""), required: true },
      { name: "reason", label: "Reason", help: "Whoever looks sees both.", required: true },
    ],
  });
  if (!note) return;
  remember("operator", note.by);
  await act(() => post(`${breakerPath(name)}/isolate`, note), () => `${name} is isolated.`);
}

export async function release(name) {
  const sure = await ask({
    title: `Release ${name}?`, yes: "Release",
    lines: ["It becomes HALF_OPEN: the next request probes it, and the probe decides."],
  });
  if (sure) await act(() => post(`${breakerPath(name)}/release`, {}), () => `${name} is released.`);
}
