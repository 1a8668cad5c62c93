import { expect, test } from "vitest";
import type { Progress } from "../../src/index.js";
import { backends, keepEngine, loadTiny, picture } from "../support/bundle.js";

for (const backend of backends) keepEngine(backend);

const wasm = { backend: "wasm" } as const;

test.each(backends)(
  "weights in parts are joined, or restored, on %s, and give the same result",
  async (backend) => {
    const answers = await Promise.all(
      ["manifest.json", "parts.json", "int8.json"].map(async (manifest) => {
        const model = await loadTiny({ backend }, manifest);
        const result = await model.run(await picture("upright.png"));
        return { ...result, timings: null };
      }),
    );
    expect(answers[1]).toMatchObject({ kind: "pose", backend, poses: [{ label: "person" }, {}] });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  },
);

test("their bytes are counted as they arrive", async () => {
  const events: Progress[] = [];
  await loadTiny({ ...wasm, onProgress: (progress) => events.push(progress) }, "parts.json");
  const last = events.filter(({ stage }) => stage === "weights").at(-1);
  expect(last?.total).toBeGreaterThan(3136);
  expect(last?.loaded).toBe(last?.total);
});

test("a part with another hash is refused by name", async () => {
  const wanted = { code: "corrupt-file", message: expect.stringContaining("weights-0001.bin") };
  await expect(loadTiny(wasm, "corrupt-part.json")).rejects.toMatchObject(wanted);
});

test("parts that do not add up to the whole are refused", async () => {
  const message = expect.stringMatching(/parts of nowhere.weights\.bin are \d+ bytes, not 3136/);
  await expect(loadTiny(wasm, "lost-part.json")).rejects.toMatchObject({ code: "invalid-manifest", message });
});

test("the order of the parts is the manifest's", async () => {
  const right = await (await loadTiny(wasm, "parts.json")).run(await picture("upright.png"));
  const model = await loadTiny(wasm, "swapped-parts.json");
  const swapped = await model.run(await picture("upright.png"));
  expect({ ...swapped, timings: null }).not.toEqual({ ...right, timings: null });
});

test("stored weights that do not match their file's entry are refused", async () => {
  const behind = { code: "corrupt-file", message: expect.stringContaining("ends at 3136, after 3000") };
  await expect(loadTiny(wasm, "int8-too-small.json")).rejects.toMatchObject(behind);
  const whole = { code: "invalid-manifest", message: expect.stringContaining("hold 3168 of 3136") };
  await expect(loadTiny(wasm, "int8-as-it-is.json")).rejects.toMatchObject(whole);
});
