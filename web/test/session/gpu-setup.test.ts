import { afterEach, expect, test } from "vitest";
import { EMPTY_GPU_SETUP, readGpuSetup, storeGpuSetup } from "../../src/session/gpu-setup.js";
import { writeFinding } from "../../src/storage/findings.js";

const NAME = new URL("finding/gpu", location.href).href;
const SOURCE = { code: "shader", entryPoint: "main", groups: [[{ binding: 0, visibility: 4 }]] };
const warn = (): void => {};

afterEach(() => caches.delete("webbuild-findings"));

test("the setup stored by an earlier visit is read back", async () => {
  const used = { device: { requiredLimits: { maxBufferSize: 8 } }, pipelines: [SOURCE] };
  await storeGpuSetup(NAME, EMPTY_GPU_SETUP, used, warn);
  expect(await readGpuSetup(NAME, warn)).toEqual(used);
});

test.each([
  ["no record", 7],
  ["no list of pipelines", { device: null }],
  ["a device that is a word", { device: "gpu", pipelines: [] }],
  ["a pipeline that is null", { device: null, pipelines: [SOURCE, null] }],
  ["a pipeline without code", { device: null, pipelines: [{ ...SOURCE, code: undefined }] }],
  ["groups that are no lists", { device: null, pipelines: [{ ...SOURCE, groups: [null] }] }],
])("%s is ignored", async (_, kept) => {
  await writeFinding(`${NAME}-gpu-work-1`, kept, warn);
  expect(await readGpuSetup(NAME, warn)).toEqual(EMPTY_GPU_SETUP);
});
