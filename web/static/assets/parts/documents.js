// The two sorts of documents that an operator edits.

import { read, remove } from "../core/api.js";
import { toast } from "../core/say.js";
import { ask } from "./dialog.js";

export const SORTS = {
  combos: { collection: "combos", noun: "combo", nameMember: "name", schema: "ComboInput", start: { name: "", strategy: "priority", targets: [{ provider: "", model: "" }] } },
  providers: { collection: "providers", noun: "provider", nameMember: "id", schema: "ProviderInput", start: { id: "", kind: "openai", models: [], keys: [] } },
};

// removeDocument deletes a document as it was when the question was asked.
export async function removeDocument(collection, name) {
  const { noun } = SORTS[collection];
  const path = `/api/v1/${collection}/${encodeURIComponent(name)}`;
  try {
    const { etag } = await read(path);
    if (!await ask({ title: `Delete ${noun} ${name}?`, lines: ["Requests that name it are refused from then on."], yes: "Delete", danger: true })) return;
    await remove(path, etag);
    toast(`The ${noun} ${name} is deleted.`);
  } catch (error) {
    toast(error.message, true);
  }
}
