import { expect, test } from "vitest";
import { loadTiny } from "../support/bundle.js";

const wasm = { backend: "wasm" } as const;

test.each([
  ["future.json", /schema 3, written by webbuild 0\.0\.0/, /runtime/],
  ["past.json", /schema 0, written by webbuild 0\.0\.0/, /pack the model again/],
])(
  "a manifest of another schema version, %s, says who wrote it and what to do",
  async (name, message, fix) => {
    const wanted = {
      code: "unsupported-schema",
      message: expect.stringMatching(message),
      fix: expect.stringMatching(fix),
    };
    await expect(loadTiny(wasm, name)).rejects.toMatchObject(wanted);
  },
);

test("a manifest with stages is accepted", async () => {
  const model = await loadTiny(wasm, "schema-2.json");
  expect(model.backend).toBe("wasm");
  await model.dispose();
});

test("other content is refused", async () => {
  await expect(loadTiny(wasm, "no-manifest.json")).rejects.toMatchObject({ code: "invalid-manifest" });
});

test("a missing manifest is named", async () => {
  await expect(loadTiny(wasm, "nowhere.json")).rejects.toMatchObject({ code: "download-failed" });
});
