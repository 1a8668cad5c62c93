// The bundle's run with known answers: its recorded tensors, downloaded.

import type { DType, TensorData, Tensors } from "./api.js";
import type { Downloads, OnBytes } from "./download.js";
import { fromLevels } from "./levels.js";
import type { Golden, Manifest } from "./manifest.js";
import { picturedInput } from "./pictured.js";
import { rawTensor } from "./raw-tensor.js";

type Spec = { name: string; dtype: DType; shape: number[] };

export interface GoldenRun {
  feeds: Tensors;
  wanted: Tensors;
}

export function goldenFiles({ inputs, outputs }: Golden): string[] {
  return [...Object.values(inputs), ...Object.values(outputs)];
}

export async function fetchGolden(
  { inputs, outputs }: Manifest,
  golden: Golden,
  downloads: Downloads,
  onBytes: OnBytes,
): Promise<GoldenRun> {
  return {
    feeds: normalised(
      inputs,
      golden,
      await tensors(golden.inputs, recorded(inputs, golden), downloads, onBytes),
    ),
    wanted: await tensors(golden.outputs, outputs, downloads, onBytes),
  };
}

/** The inputs as they are recorded: pictures are bytes. */
function recorded(inputs: Manifest["inputs"], { levels }: Golden): Spec[] {
  return inputs.map(({ name, dtype, shape }) => ({
    name,
    dtype: levels.includes(name) ? "uint8" : dtype,
    shape: [...shape],
  }));
}

function normalised(inputs: Manifest["inputs"], { levels }: Golden, feeds: Tensors): Tensors {
  const entries = Object.entries(feeds).map(([name, tensor]): [string, TensorData] => {
    if (!levels.includes(name) || tensor.type !== "uint8") return [name, tensor];
    const data = fromLevels(tensor.data, picturedInput(inputs).picture);
    return [name, { type: "float32", dims: tensor.dims, data }];
  });
  return Object.fromEntries(entries);
}

async function tensors(
  paths: Record<string, string>,
  specs: readonly Spec[],
  downloads: Downloads,
  onBytes: OnBytes,
): Promise<Tensors> {
  const files = specs.filter(({ name }) => name in paths);
  const read = files.map(async (spec) => {
    const path = paths[spec.name] ?? "";
    const { buffer } = await downloads.get(path, onBytes);
    return [spec.name, rawTensor(spec, path, buffer)];
  });
  return Object.fromEntries(await Promise.all(read));
}
