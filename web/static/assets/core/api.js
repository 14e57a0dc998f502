// Calls of the admin API. The session's cookie goes along by itself.

// Refusal is an answer that is none of 2xx. Of a version conflict, current is the document as it is now, and etag its
// version.
export class Refusal extends Error {
  constructor(status, error, etag) {
    super(error?.message ?? `the gateway answered ${status}`);
    this.status = status;
    this.code = error?.code ?? "";
    this.current = error?.current ?? null;
    this.etag = etag;
    this.details = Array.isArray(error?.details) ? error.details.filter((d) => typeof d?.message === "string") : [];
  }
}

// Unreachable says that no answer came.
export class Unreachable extends Error {
  constructor() {
    super("the gateway can't be reached");
  }
}

let whenLoggedOut = () => {};
export function onLoggedOut(listener) {
  whenLoggedOut = listener;
}

// ahead is how much the gateway's clock is ahead of this one, in ms. Its Date header has whole seconds.
let ahead = 0;
export const serverNow = () => Date.now() + ahead;

function noteClock(response) {
  const date = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(date)) return;
  const seen = date + 500 - Date.now();
  ahead = Math.abs(seen) > 2000 ? seen : 0;
}

async function call(method, path, body, headers = {}) {
  const init = { method, headers: { Accept: "application/json", ...headers }, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    init.headers["Content-Type"] = "application/json";
    init.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  let response, content;
  try {
    response = await fetch(path, init);
    content = await response.text();
  } catch {
    throw new Unreachable();
  }
  noteClock(response);
  const etag = response.headers.get("ETag");
  let data = null;
  try {
    data = content === "" ? null : JSON.parse(content);
  } catch {
    // Something between the gateway and here has answered.
  }
  if (!response.ok) {
    if (response.status === 401 && data?.error?.code === "admin_token_required") whenLoggedOut();
    throw new Refusal(response.status, data?.error, etag);
  }
  return { data, etag };
}

export const get = async (path) => (await call("GET", path)).data;
export const post = async (path, body) => (await call("POST", path, body)).data;

// read gives a document with its version; write and remove go through only if it still has that version.
export const read = (path) => call("GET", path);
export const create = (path, body) => call("POST", path, body);
export const write = (path, body, etag) => call("PUT", path, body, etag ? { "If-Match": etag } : {});
export const remove = (path, etag) => call("DELETE", path, undefined, etag ? { "If-Match": etag } : {});

export const breakerPath = (name) => `/api/v1/breakers/${encodeURIComponent(name)}`;
