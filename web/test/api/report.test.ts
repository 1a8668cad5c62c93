import { describe, expect, test } from "vitest";
import { reportText } from "../../src/api/report.js";
import { textFeeds } from "../../src/text/text-feeds.js";
import { checkLabels } from "../../src/text/texts.js";
import { backends, keepEngine, loadTiny, picture, runtime } from "../support/bundle.js";

for (const backend of backends) keepEngine(backend);

describe.each(backends)("the report of a model on %s", (backend) => {
  test("says what ran where and why, and nothing about the image or the site", async () => {
    const model = await loadTiny({ backend }, "golden.json");
    await model.run(new File([await picture("upright.png")], "holiday.png"));
    const text = model.report();
    const { graphCapture, timings } = model.info();
    for (const part of [
      `browser: ${navigator.userAgent}`,
      `packed by webbuild ${model.manifest.generator.version}`,
      "engine: onnxruntime-web 1.30.0",
      `backend: ${backend}: ${model.reason}`,
      `choice: ${model.info().choice.reason}`,
      `graph capture: no: ${graphCapture.reason}`,
      backend === "webgpu" ? 'self-test: passed with the sample "noise"' : "self-test: none",
      `loading: engine ${timings.engine.toFixed(timings.engine < 10 ? 1 : 0)} ms`,
      "runs: 1, the last: preprocess",
      "warnings: none",
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/^size: 0\.0 MB, \d+ nodes$/m);
    for (const secret of [location.host, "http", "holiday", "blob:"]) expect(text).not.toContain(secret);
  });

  test("has a part for each stage, and its warnings", async () => {
    const model = await loadTiny({ backend }, "glued.json");
    const text = model.report();
    for (const { name } of model.info().stages ?? []) expect(text).toContain(`\nstage ${name}\nbackend: `);
    expect(text.match(/^stage /gm)).toHaveLength(2);
  });
});

test("a report of a doubtful model lists its warnings", async () => {
  const model = await loadTiny({ backend: "wasm" }, "doubtful.json");
  expect(model.report()).toContain("warning: [doubtful-answers] scores are near chance");
});

test("an error appears with its fix and its cause, without addresses", async () => {
  const missing = runtime.load(new URL("/not/there.json?token=secret", location.href));
  const error: unknown = await missing.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ url: "https://webbuild.readthedocs.io/codes/download-failed/" });
  const text = reportText(null, error);
  expect(text).toMatch(/^error: \[download-failed\] manifest\.json: .+$/m);
  expect(text).toContain("fix: check that (address) is deployed");
  expect(text).toContain("cause: Error: ");
  expect(text).toContain("browser: ");
  for (const secret of [location.host, "secret", "there.json"]) expect(text).not.toContain(secret);
  expect(reportText(null, new TypeError("it broke at blob:https://shop.example/1-2, twice"))).toContain(
    "error: it broke at (address), twice",
  );
});

test.each([
  ["a label that is there twice", () => checkLabels(['my "secret"', 'my "secret"'])],
  ["a long text", () => textFeeds([], { length: 1, padding: 0 }, 'my "secret" plan', [1, 2])],
])("an error about a text appears without it: %s", (_, failing) => {
  let error: unknown = null;
  try {
    failing();
  } catch (thrown) {
    error = thrown;
  }
  expect(Object(error).message).toContain("secret");
  const text = reportText(null, error);
  expect(text).toMatch(/^error: \[invalid-prompt\] .*\(text\) .*(twice|2 tokens)/);
  expect(text).not.toContain("secret");
});
