// The scripts of a bundle are minified, and still contain what people and bundlers need.

import { describe, expect, test } from "vitest";
import errors from "../../src/api/errors.ts?raw";
import { bundle, loadTiny, runtime } from "../support/bundle.js";
import { originOf, sourceMapOf } from "../support/source-map.js";

const read = async (path: string): Promise<string> => (await fetch(bundle(path))).text();
const failure = (loading: Promise<unknown>): Promise<Error> => loading.then(Promise.reject, (error) => error);

/** Returns the source of a stack's first frame in the script. */
async function thrownAt(script: string, { stack = "" }: Error) {
  const [, line, column] = new RegExp(`${script}:(\\d+):(\\d+)`).exec(stack) ?? [];
  return originOf(await sourceMapOf(bundle(script)), Number(line), Number(column));
}

describe.each(["runtime/webbuild.js", "runtime/worker.js"])("%s", (script) => {
  test("is minified", async () => {
    const text = await read(script);
    expect(text).toContain("WebbuildError");
    expect(text).not.toMatch(/^\t|^\/\/#? ?region/m);
  });

  test("has a source map with its sources, under names that do not depend on the build machine", async () => {
    const { sources, sourcesContent } = await sourceMapOf(bundle(script));
    expect(sources).toContain("webbuild:///node_modules/comlink/dist/esm/comlink.mjs");
    expect(sourcesContent[sources.indexOf("webbuild:///web/src/api/errors.ts")]).toBe(errors);
    for (const source of sources)
      expect(source).toMatch(/^webbuild:\/\/\/(web\/src|node_modules)\/[\w@/.-]+$/);
    expect(sourcesContent).not.toContain(null);
  });
});

test("a stack of the page is mapped to its source", async () => {
  const error = await failure(runtime.load(bundle("manifest.json"), { backend: "webgl" as "wasm" }));
  expect(await thrownAt("runtime/webbuild.js", error)).toEqual({
    source: "webbuild:///web/src/api/options.ts",
    text: expect.stringContaining("new WebbuildError("),
  });
});

test("a stack of the worker is mapped to its source", async () => {
  const error = await failure(loadTiny({ backend: "wasm" }, "corrupt.json"));
  expect(await thrownAt("runtime/worker.js", error)).toEqual({
    source: "webbuild:///web/src/api/errors.ts",
    text: expect.stringContaining("new WebbuildError("),
  });
});

test("classes keep their names, for devtools", async () => {
  const { Model, Stream, Tracker, WebbuildError } = runtime;
  expect([Model, Stream, Tracker, WebbuildError].map(({ name }) => name)).toEqual([
    "Model",
    "Stream",
    "Tracker",
    "WebbuildError",
  ]);
});

test("every import of a URL has annotations that make bundlers ignore it", async () => {
  const imports = [...(await read("runtime/worker.js")).matchAll(/\bimport\(([^a-zA-Z]*.{60})/gs)];
  expect(imports).toHaveLength(3);
  for (const [, start] of imports)
    expect(start).toMatch(
      /^\s*\/\* @vite-ignore \*\/\s*\/\* webpackIgnore: true \*\/\s*\/\* turbopackIgnore/,
    );
});
