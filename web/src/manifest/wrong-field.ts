// Validates a manifest against its schema: finds the first wrong field. Unknown fields are ignored.

import { DEFAULTS, DEFINITIONS } from "./definitions.js";
import type { List, Primitive, Rule } from "./rules.js";

/** A wrong field: its path, `inputs[0].shape[2]`, its value, and the valid values, "integer, at least 0". */
interface WrongField {
  path: string;
  value: unknown;
  wanted: string;
}

/** The path of a value, and the output names of its model; null if those are wrong too. */
interface Place {
  path: string;
  outputs: readonly unknown[] | null;
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: Number.isFinite,
  integer: Number.isSafeInteger,
  null: (value) => value === null,
};
/** The number of characters of a wrong value that a message shows. */
const SHOWN = 60;

/**
 * Returns the first field that is missing, of another type or out of bounds; null if there is none. Fills in
 * a missing field that has a default: an older version wrote the manifest.
 */
export function wrongField(manifest: unknown): WrongField | null {
  return check(manifest, "Manifest", { path: "", outputs: null });
}

/** Returns the message for a wrong field: `inputs[0].shape[2] is "x", not integer, at least 0`. */
export function inWords({ path, value, wanted }: WrongField): string {
  return `${path || "it"} is ${value === undefined ? "missing" : shown(value)}, not ${wanted}`;
}

function check(value: unknown, rule: Rule, place: Place): WrongField | null {
  if (typeof rule === "string") return ofName(value, rule, place);
  if ("items" in rule) return ofList(value, rule, place);
  if ("kinds" in rule) return ofKind(value, rule.kinds, place);
  if ("values" in rule) return ofValues(value, rule.values, place);
  if ("anyOf" in rule) return ofUnion(value, rule.anyOf, place);
  if ("type" in rule) return ofType(value, rule, place);
  return rule.enum.includes(value) ? null : wrong(value, rule.enum.map(shown).join(" or "), place);
}

function ofName(value: unknown, name: string, place: Place): WrongField | null {
  const definition = DEFINITIONS[name];
  if (definition === undefined) return ofType(value, { type: name }, place);
  if (!isObject(value)) return wrong(value, "object", place);
  const defaults = DEFAULTS[name] ?? {};
  const outputs = Object.hasOwn(definition, "outputs") ? namesOf(value.outputs) : place.outputs;
  return first(Object.entries(definition), ([field, rule]) => {
    const key = field.replace("?", "");
    const given = Object.hasOwn(value, key);
    if (!given && key !== field) return null;
    if (!given && Object.hasOwn(defaults, key)) value[key] = structuredClone(defaults[key]);
    return check(
      Object.hasOwn(value, key) ? value[key] : undefined,
      rule,
      within({ ...place, outputs }, key),
    );
  });
}

function ofKind(value: unknown, kinds: Record<string, string>, place: Place): WrongField | null {
  if (!isObject(value)) return wrong(value, "object", place);
  const { kind } = value;
  const name = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (name !== undefined) return check(value, name, place);
  return wrong(kind, Object.keys(kinds).map(shown).join(" or "), within(place, "kind"));
}

function ofValues(value: unknown, rule: Rule, place: Place): WrongField | null {
  if (!isObject(value)) return wrong(value, "object", place);
  return first(Object.entries(value), ([key, each]) => check(each, rule, within(place, key)));
}

function ofList(value: unknown, rule: List, place: Place): WrongField | null {
  const { items, minItems = 0, maxItems = Infinity, maxProduct = Infinity } = rule;
  const length =
    maxItems === Infinity ? "" : ` of ${minItems === maxItems ? minItems : `${minItems} to ${maxItems}`}`;
  if (!Array.isArray(value) || value.length < minItems || value.length > maxItems)
    return wrong(value, `list${length}`, place);
  const found = first(value.entries(), ([at, each]) => check(each, items, within(place, at)));
  if (found !== null || maxProduct === Infinity) return found;
  const product = value.reduce((all: number, each: number) => all * Math.abs(each), 1);
  return product <= maxProduct ? null : wrong(value, `of at most ${maxProduct} elements`, place);
}

/** Returns the first problem inside the value: it says more than that the value fits none of the rules. */
function ofUnion(value: unknown, rules: Rule[], place: Place): WrongField | null {
  const found = rules.map((rule) => check(value, rule, place)).filter((each) => each !== null);
  if (found.length < rules.length) return null;
  const inside = found.find(({ path }) => path !== place.path);
  return inside ?? wrong(value, found.map(({ wanted }) => wanted).join(" or "), place);
}

function ofType(value: unknown, rule: Primitive, place: Place): WrongField | null {
  const { type, minimum = -Infinity, maximum = Infinity, pattern, names } = rule;
  const bounded = typeof value !== "number" || (value >= minimum && value <= maximum);
  const matches = pattern === undefined || new RegExp(pattern).test(String(value));
  const known = names === undefined || (place.outputs?.includes(value) ?? true);
  if (TYPES[type]?.(value) && bounded && matches && known) return null;
  const bounds = [
    minimum > -Infinity && `at least ${minimum}`,
    maximum < Infinity && `at most ${maximum}`,
    pattern !== undefined && `like ${pattern}`,
    names !== undefined && "the name of an output",
  ];
  return wrong(value, [type, ...bounds.filter(Boolean)].join(", "), place);
}

function namesOf(outputs: unknown): unknown[] | null {
  const names = Array.isArray(outputs) ? outputs.map((each) => Object(each).name) : [null];
  return names.every((name) => typeof name === "string") ? names : null;
}

function wrong(value: unknown, wanted: string, { path }: Place): WrongField {
  return { path, value, wanted };
}

function within(place: Place, key: string | number): Place {
  const step = typeof key === "string" && /^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return { ...place, path: place.path === "" ? step.replace(/^\./, "") : place.path + step };
}

function first<T>(items: Iterable<T>, look: (item: T) => WrongField | null): WrongField | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
