// Elements made from values. Text is always text: nothing here turns a string into markup.

const SVG = "http://www.w3.org/2000/svg";

// h makes an HTML element. Properties: class, text, data (dataset), on (listeners), anything else an attribute; false,
// null and undefined leave an attribute out, true makes it empty.
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

// s makes an SVG element likewise.
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "text") node.textContent = value ?? "";
    else attribute(node, name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// attribute sets or removes an attribute, and touches nothing if it is as wanted.
export function attribute(node, name, value) {
  if (value === false || value === null || value === undefined) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

// text replaces an element's text if it differs.
export function text(node, value) {
  const wanted = value === null || value === undefined ? "" : String(value);
  if (node.textContent !== wanted) node.textContent = wanted;
}

// replace puts other children into a node.
export function replace(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// keyed makes the children of parent follow items: make(item) gives {node, update?} for a new one, update(item) is
// called for each. What stays keeps its node, and with it focus and selection; a node that is moved gets its focus back.
export function keyed(parent, items, keyOf, make) {
  const before = parent.keyedParts ?? new Map();
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const now = new Map();
  let at = parent.firstChild;
  for (const item of items) {
    const key = keyOf(item);
    const part = before.get(key) ?? make(item);
    part.update?.(item);
    now.set(key, part);
    if (part.node === at) at = at.nextSibling;
    else parent.insertBefore(part.node, at);
  }
  for (const [key, part] of before) {
    if (!now.has(key)) part.node.remove();
  }
  parent.keyedParts = now;
  if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
}

// ids are unique in the page, to tie labels to what they label.
let lastId = 0;
export const newId = (prefix) => `${prefix}-${++lastId}`;
