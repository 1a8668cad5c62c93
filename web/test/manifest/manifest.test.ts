import { expect, test } from "vitest";
import { loadTiny } from "../support/bundle.js";

const wasm = { backend: "wasm" } as const;

test.each([
  ["future.json", /schema 3, written by webbuild 0\.0\.0/, /runtime/],
  ["past.json", /schema 0, written by webbuild 0\.0\.0/, /pack the model again/],
])("a manifest of another schema, %s, says who wrote it and what to do", async (name, message, fix) => {
  const wanted = {
    code: "unsupported-schema",
    message: expect.stringMatching(message),
    fix: expect.stringMatching(fix),
  };
  await expect(loadTiny(wasm, name)).rejects.toMatchObject(wanted);
});

test("a manifest of the schema with stages is read", async () => {
  const model = await loadTiny(wasm, "schema-2.json");
  expect(model.backend).toBe("wasm");
  await model.dispose();
});

test("what is no manifest at all is refused", async () => {
  await expect(loadTiny(wasm, "no-manifest.json")).rejects.toMatchObject({ code: "invalid-manifest" });
});

test("a manifest that is not there is named", async () => {
  await expect(loadTiny(wasm, "nowhere.json")).rejects.toMatchObject({ code: "download-failed" });
});
