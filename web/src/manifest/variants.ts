// The variants of a model: a manifest for each size of picture in the bundle, the default one first.

import type { PictureSize } from "../api/types.js";
import type { Manifest } from "./manifest.js";

/** Returns a manifest for each variant of the first stage. Only the first variant has a golden run. */
export function everyVariant({ variants = [], stages: _later, ...first }: Manifest): Manifest[] {
  return [first, ...variants.map((variant) => ({ ...first, ...variant, golden: null }))];
}

/** Returns the size of the model's pictures, null if it takes none. */
export function pictureSize({ inputs }: Pick<Manifest, "inputs">): PictureSize | null {
  const input = inputs.find(({ kind }) => kind === "image" || kind === "crop" || kind === "stack");
  if (input === undefined) return null;
  const [rows, columns] = hasChannelsLast(input) ? input.shape.slice(-3) : input.shape.slice(-2);
  return rows === undefined || columns === undefined ? null : [columns, rows];
}

/** Returns how many pictures a run of the graph takes; each gets a result. */
export function pictureBatch({ inputs }: Pick<Manifest, "inputs">): number {
  const input = inputs.find((each) => each.kind === "image" || each.kind === "crop");
  return input === undefined || input.layout === "hwc" ? 1 : (input.shape[0] ?? 1);
}

/** Returns the manifest for a single picture of a batch. */
export function forOnePicture(manifest: Manifest): Manifest {
  if (pictureBatch(manifest) === 1) return manifest;
  const alone = (shape: readonly number[]): number[] => [1, ...shape.slice(1)];
  return {
    ...manifest,
    inputs: manifest.inputs.map((each) =>
      each.kind === "image" || each.kind === "crop" ? { ...each, shape: alone(each.shape) } : each,
    ),
    outputs: manifest.outputs.map((each) => ({ ...each, shape: alone(each.shape) })),
  };
}

/** Returns the sizes of all variants, without duplicates. */
export function pictureSizes(variants: readonly Manifest[]): PictureSize[] {
  const sizes = variants.map(pictureSize).filter((size) => size !== null);
  return sizes.filter((size, at) => sizes.findIndex((other) => sameSize(other, size)) === at);
}

export function sameSize(one: PictureSize, other: PictureSize): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

function hasChannelsLast(input: Manifest["inputs"][number]): boolean {
  return (input.kind === "image" || input.kind === "crop") && input.layout !== "nchw";
}
