// Every field of a manifest, and the manifest with another value there.

export type Path = readonly (string | number)[];
type Holder = Record<string | number, unknown>;

/** Stands for a missing field. */
export const MISSING = Symbol("missing");

/** Returns the path of every value inside a value; of a list's items the first two. */
export function everyPath(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 2) : Object.keys(value);
  return keys.flatMap((key) => [[...path, key], ...everyPath((value as Holder)[key], [...path, key])]);
}

export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Holder)[key], root);
}

/** Returns the result of `work` while another value is at a path. */
export function withValue<T>(root: unknown, path: Path, value: unknown, work: () => T): T {
  const [holder, key] = [valueAt(root, path.slice(0, -1)) as Holder, path.at(-1) ?? ""];
  const before = holder[key];
  if (value === MISSING) delete holder[key];
  else holder[key] = value;
  try {
    return work();
  } finally {
    holder[key] = before;
  }
}

/** Returns a path as errors name it: `inputs[0].shape`. */
export function named(path: Path): string {
  return path
    .map((key) => (/^[a-z]\w*$/i.test(String(key)) ? `.${key}` : `[${JSON.stringify(key)}]`))
    .join("")
    .replace(/^\./, "");
}
