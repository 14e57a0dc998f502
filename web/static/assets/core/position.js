// Where in a text of JSON a path such as `targets[2].weight` stands.

// positionOf gives {start, end} of the value at path, or of the deepest part of the path that is there.
export function positionOf(source, path) {
  const steps = [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  let found = { start: 0, end: 0 };
  let at = 0;

  const blank = () => {
    while (/\s/.test(source[at] ?? "")) at++;
  };
  const string = () => {
    const start = at++;
    while (at < source.length && source[at] !== '"') at += source[at] === "\\" ? 2 : 1;
    at++;
    return source.slice(start, at);
  };

  // value passes one value, whose path is the first depth steps if depth is not negative.
  const value = (depth) => {
    blank();
    const start = at;
    if (source[at] === "{" || source[at] === "[") inside(source[at] === "{", depth);
    else if (source[at] === '"') string();
    else while (at < source.length && !/[\s,\]}]/.test(source[at])) at++;
    if (depth > 0 && (found.depth ?? 0) < depth) found = { start, end: at, depth };
  };

  const inside = (isObject, depth) => {
    const end = isObject ? "}" : "]";
    at++;
    for (let index = 0; ; index++) {
      blank();
      if (at >= source.length) return;
      if (source[at] === end) {
        at++;
        return;
      }
      if (source[at] === ",") {
        at++;
        index--;
        continue;
      }
      let step = index;
      if (isObject) {
        try {
          step = JSON.parse(string());
        } catch {
          return;
        }
        blank();
        at++; // the colon
      }
      value(depth >= 0 && depth < steps.length && step === steps[depth] ? depth + 1 : -1);
    }
  };

  value(0);
  return { start: found.start, end: found.end };
}
