// The golden run of a bundle: its recorded tensors, read from raw little-endian files.

import type { TensorData, Tensors } from "../../src/index.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { parseRawTensor } from "../../src/tensors/raw-tensor.js";
import { PageError } from "../shell/failure-card.js";

type Spec = Pick<Manifest["outputs"][number], "name" | "dtype" | "shape">;

export async function goldenTensors(
  paths: Record<string, string>,
  specs: readonly Spec[],
  base: URL,
): Promise<Tensors> {
  const recorded = specs.filter(({ name }) => name in paths);
  const tensors = await Promise.all(
    recorded.map((spec) => fetchTensor(new URL(paths[spec.name] ?? "", base), spec)),
  );
  return Object.fromEntries(recorded.map(({ name }, index) => [name, tensors[index] as TensorData]));
}

async function fetchTensor(address: URL, spec: Spec): Promise<TensorData> {
  const response = await fetch(address).catch(() => null);
  if (response?.ok) return parseRawTensor(spec, address.href, await response.arrayBuffer());
  throw new PageError(
    "golden-missing",
    `The recorded tensor ${spec.name} could not be loaded.`,
    "Upload the whole folder of the bundle, including its subfolder golden.",
  );
}
