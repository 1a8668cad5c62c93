import { expect, test, vi } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.js";
import { Predictor } from "../../src/session/predictor.js";
import type { Session } from "../../src/session/session.js";
import type { AnyTensors, GpuTensor } from "../../src/tensors/gpu-tensor.js";

const lost = new Error("the GPU is lost");

/** A tensor on a GPU that nothing can be read from any more. */
function unreadable(): GpuTensor {
  const read = vi.fn(() => Promise.reject(lost));
  return { type: "float32", dims: [1], buffer: {} as GPUBuffer, read, copy: read, release: vi.fn() };
}

/** A predictor whose runs have these outputs, of which `hn` is the next state. */
function predictorOf(outputs: AnyTensors): Predictor {
  const names = Object.keys(outputs).map((name) => ({ name }));
  const graph = { target: "webgpu", headStatus: null, outputs: names };
  const session = { graph, run: async () => outputs } as unknown as Session;
  const inputs = [{ kind: "state", name: "h0", dtype: "float32", shape: [1], output: "hn" }];
  const manifest = { inputs, outputs: names } as unknown as Manifest;
  return new Predictor(session, manifest, null, () => Promise.reject(lost));
}

test("a result that cannot be read releases the state after the run", async () => {
  const hn = unreadable();
  const data = Float32Array.of(1);
  const predictor = predictorOf({ y: unreadable(), hn });
  const { states } = await predictor.predict({}, ["y"]);
  expect([states, vi.mocked(hn.release).mock.calls]).toEqual([{ h0: hn }, []]);
  const copied = { ...hn, copy: async () => ({ type: "float32" as const, dims: [1], data }) };
  await expect(predictorOf({ y: unreadable(), hn: copied }).runRaw({})).rejects.toBe(lost);
  expect(hn.release).toHaveBeenCalledTimes(1);
});

test("a state that cannot be copied into a result is released, as the other results are", async () => {
  const [y, hn] = [unreadable(), unreadable()];
  await expect(predictorOf({ y, hn }).predict({}, ["y", "hn"], ["y"])).rejects.toBe(lost);
  expect(hn.release).toHaveBeenCalledTimes(1);
  expect(y.release).toHaveBeenCalledTimes(1);
});
