import { expect, test, vi } from "vitest";
import type { DeviceErrors } from "../../src/gpu/device-errors.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { Predictor } from "../../src/session/predictor.js";
import type { Session } from "../../src/session/session.js";
import type { AnyTensors } from "../../src/tensors/gpu-tensor.js";
import { lost, releases, unreadable } from "../support/unreadable.js";

/** A predictor whose runs have these outputs; `hn` is the next state. */
function predictorOf(outputs: AnyTensors, gpu: DeviceErrors | null = null): Predictor {
  const names = Object.keys(outputs).map((name) => ({ name }));
  const graph = { target: "webgpu", headStatus: null, outputs: names };
  const session = { graph, run: async () => outputs } as unknown as Session;
  const inputs = [{ kind: "state", name: "h0", dtype: "float32", shape: [1], output: "hn" }];
  const manifest = { inputs, outputs: names } as unknown as Manifest;
  return new Predictor(session, manifest, gpu, () => Promise.reject(lost));
}

test("if a result cannot be read, the state after the run is released", async () => {
  const hn = unreadable();
  const data = Float32Array.of(1);
  const predictor = predictorOf({ y: unreadable(), hn });
  const { states } = await predictor.predict({}, ["y"]);
  expect([states, vi.mocked(hn.release).mock.calls]).toEqual([{ h0: hn }, []]);
  const copied = { ...hn, copy: async () => ({ type: "float32" as const, dims: [1], data }) };
  await expect(predictorOf({ y: unreadable(), hn: copied }).runRaw({})).rejects.toBe(lost);
  expect(hn.release).toHaveBeenCalledTimes(1);
});

test("if a result cannot be read, the others are released", async () => {
  const [y, z] = [unreadable(), unreadable()];
  await expect(predictorOf({ y, z }).runRaw({})).rejects.toBe(lost);
  expect(releases([y, z])).toEqual([1, 1]);
});

test("a run whose command the GPU refuses releases its outputs", async () => {
  const [y, hn] = [unreadable(), unreadable()];
  const gpu = { guard: (work: () => Promise<unknown>) => work(), takeCause: async () => lost };
  const refused = predictorOf({ y, hn }, gpu as unknown as DeviceErrors).predict({}, ["y"], ["y"]);
  await expect(refused).rejects.toBe(lost);
  expect(releases([y, hn])).toEqual([1, 1]);
});

test("a state that cannot be copied into a result is released, as are the other results", async () => {
  const [y, hn] = [unreadable(), unreadable()];
  await expect(predictorOf({ y, hn }).predict({}, ["y", "hn"], ["y"])).rejects.toBe(lost);
  expect(hn.release).toHaveBeenCalledTimes(1);
  expect(y.release).toHaveBeenCalledTimes(1);
});
