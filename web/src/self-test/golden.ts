// The golden run of a bundle: recorded inputs and outputs, downloaded for the self-test.

import type { DType, TensorData, Tensors } from "../api/types.js";
import { findReference, imageOf } from "../inputs/reference-input.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { Golden, Manifest } from "../manifest/manifest.js";
import { runInput } from "../preprocess/image-input.js";
import type { Downloads, OnBytes } from "../storage/download.js";
import { parseRawTensor } from "../tensors/raw-tensor.js";
import { fromUint8 } from "../tensors/uint8-tensors.js";

type RecordedSpec = { name: string; dtype: DType; shape: number[] };

export interface GoldenRun {
  feeds: Tensors;
  expected: Tensors;
  /**
   * For a model with state: outputs of the last of several runs of `feeds`, each with the state of the
   * previous run.
   */
  sequence: { steps: number; expected: Tensors } | null;
}

export function goldenFiles({ inputs, outputs, sequence }: Golden): string[] {
  return [inputs, outputs, sequence?.outputs ?? {}].flatMap((paths) => Object.values(paths));
}

export async function fetchGolden(
  { inputs, outputs }: Manifest,
  golden: Golden,
  downloads: Downloads,
  onBytes: OnBytes,
): Promise<GoldenRun> {
  const fetched = (paths: Record<string, string>, specs: readonly RecordedSpec[]): Promise<Tensors> =>
    tensors(paths, specs, downloads, onBytes);
  const [recorded, expected] = await Promise.all([
    fetched(golden.inputs, recordedSpecs(inputs, golden)),
    fetched(golden.outputs, outputs),
  ]);
  const { sequence } = golden;
  return {
    feeds: normalized(inputs, golden, recorded),
    expected,
    sequence: sequence
      ? { steps: sequence.steps, expected: await fetched(sequence.outputs, sequenceSpecs(inputs, outputs)) }
      : null,
  };
}

/** Returns the specs of a run's results, and of the states after it. */
function sequenceSpecs(inputs: Manifest["inputs"], outputs: Manifest["outputs"]): RecordedSpec[] {
  const results = new Set(outputs.map(({ name }) => name));
  const states = stateInputs(inputs).filter(({ output }) => !results.has(output));
  return [...outputs, ...states.map(({ output, dtype, shape }) => ({ name: output, dtype, shape }))];
}

/** Returns the inputs as they are recorded: pictures as bytes. */
function recordedSpecs(inputs: Manifest["inputs"], { uint8Inputs }: Golden): RecordedSpec[] {
  return inputs.map(({ name, dtype, shape }) => ({
    name,
    dtype: uint8Inputs.includes(name) ? "uint8" : dtype,
    shape: [...shape],
  }));
}

function normalized(inputs: Manifest["inputs"], { uint8Inputs }: Golden, feeds: Tensors): Tensors {
  const entries = Object.entries(feeds).map(([name, tensor]): [string, TensorData] => {
    if (!uint8Inputs.includes(name) || tensor.type !== "uint8") return [name, tensor];
    const reference = findReference(inputs);
    const image = name === reference?.name ? imageOf(reference) : runInput(inputs).image;
    const data = fromUint8(tensor.data, image);
    return [name, { type: "float32", dims: tensor.dims, data }];
  });
  return Object.fromEntries(entries);
}

async function tensors(
  paths: Record<string, string>,
  specs: readonly RecordedSpec[],
  downloads: Downloads,
  onBytes: OnBytes,
): Promise<Tensors> {
  const files = specs.filter(({ name }) => name in paths);
  const read = files.map(async (spec) => {
    const path = paths[spec.name] ?? "";
    const { buffer } = await downloads.get(path, onBytes);
    return [spec.name, parseRawTensor(spec, path, buffer)];
  });
  return Object.fromEntries(await Promise.all(read));
}
