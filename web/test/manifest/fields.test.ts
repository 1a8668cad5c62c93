// Every field of the manifest of each kind of model, missing, mistyped or out of bounds: named, and refused.

import { expect, test } from "vitest";
import { DEFAULTS } from "../../src/manifest/definitions.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { inWords, wrongField } from "../../src/manifest/wrong-field.js";
import { bundle } from "../support/bundle.js";
import { everyPath, MISSING, named, type Path, valueAt, withValue } from "../support/manifest-fields.js";
import { TINY_TASKS } from "../support/tiny-tasks.js";

const NAMES = [
  ...Object.values(TINY_TASKS).map(([name]) => name),
  ...["three-stages.json", "sizes.json", "int8.json", "parts.json"],
];
const WRONG = [MISSING, null, true, "x", -0.5, Number.NaN, Number.POSITIVE_INFINITY, [[[]]], { kind: "x" }];

const words = (text: string): string[] => text.split(" ");
/** Fields that are omitted if empty, and fields that may be null. */
const OPTIONAL = words(
  "uncompressedSha256 stageName stages variants textEncoder textInput halfTurn split rotated maxCandidates mask rounding edge sequence glueModule suppression multiLabel rowCount pointScale",
);
const NULLABLE = words(
  "golden single headStatus confidence foreground scores tiles near far iou logitScale logitBias",
);
const LEFT_OUT = [...OPTIONAL, ...Object.values(DEFAULTS).flatMap((each) => Object.keys(each))];
/** Objects with arbitrary keys. */
const MAPS = ["evaluationThresholds", "specialTokens", "outputs", "inputs", "focusDistances"];

async function fetched(name: string): Promise<Manifest> {
  return (await fetch(bundle(name))).json();
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? "list" : value === null ? "null" : Number.isNaN(value) ? "NaN" : typeof value;

/** Whether a manifest may have this value there, judged without its schema. */
function mayBe(path: Path, before: unknown, value: unknown): boolean {
  const [holder, key] = [path.at(-2), String(path.at(-1))];
  if (value === MISSING)
    return typeof path.at(-1) === "number" || LEFT_OUT.includes(key) || MAPS.includes(String(holder));
  if (NULLABLE.includes(key) && (value === null || before === null)) return true;
  return kindOf(value) === kindOf(before) || key === "pad";
}

test.each(NAMES)("every field of %s is checked", async (name) => {
  const manifest = await fetched(name);
  expect(wrongField(manifest)).toBeNull();
  const paths = everyPath(manifest);
  expect(paths.length).toBeGreaterThan(100);
  let refused = 0;
  for (const path of paths) {
    const before = valueAt(manifest, path);
    for (const value of WRONG) {
      const found = withValue(manifest, path, value, () => wrongField(manifest));
      if (found !== null) refused++;
      const what = `${named(path)} = ${String(value)}: ${found && inWords(found)}`;
      if (!mayBe(path, before, value)) expect(found?.path.startsWith(named(path)), what).toBe(true);
    }
  }
  expect(refused).toBeGreaterThan(paths.length * 5);
});

test.each<[path: Path, value: unknown, words: RegExp]>([
  [
    ["inputs", 0, "shape", 2],
    -1,
    /^inputs\[0\]\.shape\[2\] is -1, not integer, at least 1, at most 2147483647$/,
  ],
  [["inputs", 0, "shape", 2], "x", /^inputs\[0\]\.shape\[2\] is "x", not integer/],
  [
    ["inputs", 0, "shape"],
    [2 ** 20, 3, 2 ** 20, 1],
    /^inputs\[0\]\.shape is \[.*\], not of at most 2147483647 elements$/,
  ],
  [["inputs", 0, "kind"], "__proto__", /^inputs\[0\]\.kind is "__proto__", not "image" or /],
  [
    ["inputs", 0, "letterbox", "pad"],
    [1, 2],
    /^inputs\[0\]\.letterbox\.pad is \[1,2\], not integer or "mean" or list of 3$/,
  ],
  [["task", "output"], "other", /^task\.output is "other", not string, the name of an output$/],
  [["task", "kind"], MISSING, /^task\.kind is missing, not "classify" or /],
  [["task", "rows"], 1e308, /^task\.rows is 1e\+308, not integer, at least 0/],
  [["files", 0, "size"], -1, /^files\[0\]\.size is -1, not integer, at least 0$/],
  [["files", 0, "sha256"], "x".repeat(5000), /^files\[0\]\.sha256 is "x{59}…, not string, like /],
  [["files", 0], null, /^files\[0\] is null, not object$/],
])("the error for %s = %s is in words", async (path, value, words) => {
  const manifest = await fetched("manifest.json");
  const found = withValue(manifest, path, value, () => wrongField(manifest));
  expect(found && inWords(found)).toMatch(words);
});

test("fields missing in older manifests have defaults", async () => {
  const { warnings, disabledTargets, ...older } = await fetched("manifest.json");
  const [input] = older.inputs;
  if (input?.kind === "image") Reflect.deleteProperty(input.letterbox, "pad");
  expect(wrongField(older)).toBeNull();
  expect(older).toMatchObject({
    warnings: [],
    disabledTargets: [],
    inputs: [{ letterbox: { pad: 114 } }, {}, {}],
  });
});

test("a value that is no object is no manifest, and unknown fields are ignored", async () => {
  for (const value of [null, [], "x", 3]) expect(wrongField(value)).toMatchObject({ path: "", value });
  expect(wrongField({ ...(await fetched("manifest.json")), later: { kind: "x" } })).toBeNull();
});
