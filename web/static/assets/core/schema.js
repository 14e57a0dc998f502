// The forms of providers and combos follow the gateway's own description of its documents.

import { get } from "./api.js";

let reading = null;

// schemaOf gives the JSON Schema of a component of /api/v1/openapi.json, its references resolved as they are met.
export async function schemaOf(component) {
  reading ??= get("/api/v1/openapi.json").catch((error) => {
    reading = null;
    throw error;
  });
  const schemas = (await reading).components.schemas;
  return resolver(schemas)({ $ref: `#/components/schemas/${component}` });
}

// resolver makes the function that follows references; what stands beside a reference wins.
function resolver(schemas) {
  return function resolve(schema) {
    if (!schema.$ref) return { ...schema, resolve };
    const { $ref, ...own } = schema;
    return { ...resolve(schemas[$ref.slice($ref.lastIndexOf("/") + 1)]), ...own, resolve };
  };
}

// OURS are members that the gateway writes and ignores when it reads.
const OURS = new Set(["managed_by", "created_at", "updated_at", "version"]);

const ours = (name) => OURS.has(name) || name.endsWith("_ms");

// writable are the members of an object schema that somebody may write, as [name, schema].
export function writable(schema) {
  return Object.entries(schema.properties ?? {}).filter(([name]) => !ours(name)).map(([name, member]) => [name, schema.resolve(member)]);
}

// written takes out of a document what the gateway writes by itself.
export function written(value, top = true) {
  if (Array.isArray(value)) return value.map((each) => written(each, false));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value)
    .filter(([name]) => !(name.endsWith("_ms") || (top && OURS.has(name))))
    .map(([name, each]) => [name, written(each, false)]));
}

// form says how a schema is filled in: what sort of field, and what goes into it.
export function form(schema) {
  const types = [schema.type].flat();
  if (schema.enum) return "choice";
  if (types.includes("boolean")) return "flag";
  if (types.includes("integer") || types.includes("number")) return "number";
  if (types.includes("array")) {
    const item = itemOf(schema);
    if (item.enum) return "choices";
    return item.properties ? "items" : "lines";
  }
  if (schema.properties) return "group";
  if (schema.additionalProperties) return "json";
  return "text";
}

// itemOf is the schema of an array's elements. Where a name may stand for an object, it is the object.
export function itemOf(schema) {
  const item = schema.resolve(schema.items);
  const richest = (item.anyOf ?? []).map(schema.resolve).find((each) => each.properties);
  return richest ?? item;
}

// nameAlone tells whether an element may be a name instead of an object, as the models of a provider may.
export const nameAlone = (schema) => Boolean(schema.resolve(schema.items).anyOf);
