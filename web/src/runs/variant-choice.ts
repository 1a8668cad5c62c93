// Chooses the variant of a model for a run: there is one for each input size and batch size.

import { internalError, WebbuildError } from "../api/errors.js";
import type { PictureSize, Tensors } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureBatch, pictureSize, pictureSizes, sameSize } from "../manifest/variants.js";
import { sizeOf } from "../preprocess/canvas-pixels.js";
import { fittingLine, fittingSize } from "../preprocess/fitting-size.js";
import type { PackedPicture } from "../preprocess/pixels.js";

/** Pictures that run at one input size (null: the model has only one), and their indices in the call. */
export interface SizedPictures {
  size: PictureSize | null;
  pictures: PackedPicture[];
  indices: number[];
}

export class VariantChoice {
  /** The input sizes, [width, height], without duplicates. */
  readonly sizes: readonly PictureSize[];
  /** The batch sizes, in rising order. */
  readonly batches: readonly number[];
  readonly #variants: readonly Manifest[];

  constructor(variants: readonly Manifest[]) {
    this.#variants = variants;
    this.sizes = pictureSizes(variants);
    this.batches = [...new Set(variants.map(pictureBatch))].sort((a, b) => a - b);
  }

  /** Returns the variant of an input size (null: the first) and a batch size. */
  variantOf(size: PictureSize | null, batch: number): Manifest {
    const wanted = size ?? this.sizes[0] ?? null;
    const found = this.#variants.find((each) => {
      const own = pictureSize(each);
      const fits = wanted === null || own === null || sameSize(own, wanted);
      return fits && (pictureBatch(each) === batch || batch === 1);
    });
    if (found === undefined) throw internalError(`no graph for ${batch} pictures of ${String(wanted)}`);
    return found;
  }

  /**
   * Returns the variant whose input shapes match these tensors, preferably one with a tensor for each input;
   * else the first.
   */
  variantFor(feeds: Tensors): Manifest {
    const [first] = this.#variants;
    const fitting = this.#variants.filter(({ inputs }) => haveShapes(inputs, feeds));
    const found =
      fitting.find(({ inputs }) => inputs.every(({ name }) => Object.hasOwn(Object(feeds), name))) ??
      fitting[0] ??
      first;
    if (found === undefined) throw internalError("a model without a graph");
    return found;
  }

  /** Returns the largest batch size that this many pictures fill. Throws "no-graph" if all are larger. */
  largestBatch(pictures: number): number {
    const filled = this.batches.findLast((each) => each <= pictures);
    if (filled !== undefined) return filled;
    const what = `every graph takes ${this.batches[0]} pictures or more, not ${pictures}`;
    throw new WebbuildError("no-graph", what, "pack the model again");
  }

  /**
   * Groups parts of a picture by input size: a text line at the narrowest that fits, any other part at the
   * first.
   */
  partsBySize(lines: readonly (PictureSize | null)[]): { size: PictureSize | null; parts: number[] }[] {
    const chosen: { size: PictureSize | null; parts: number[] }[] = [];
    for (const [part, line] of lines.entries()) {
      const size = line === null || this.sizes.length < 2 ? null : fittingLine(this.sizes, ...line);
      const same = chosen.find((each) => each.size === size);
      if (same === undefined) chosen.push({ size, parts: [part] });
      else same.parts.push(part);
    }
    return chosen;
  }

  /** Groups pictures by input size: all at `requested`, if null each at its best. Stacks are not divided. */
  bySize(
    pictures: readonly PackedPicture[],
    requested: PictureSize | null,
    isStack: boolean,
  ): SizedPictures[] {
    const chosen: SizedPictures[] = [];
    for (const [index, picture] of pictures.entries()) {
      const size = requested ?? this.#fittingSize(isStack ? (pictures[0] ?? picture) : picture);
      const same = chosen.find((each) => each.size === size);
      if (same === undefined) {
        chosen.push({ size, pictures: [picture], indices: [index] });
      } else {
        same.pictures.push(picture);
        same.indices.push(index);
      }
    }
    return chosen;
  }

  #fittingSize(picture: PackedPicture): PictureSize | null {
    if (this.sizes.length < 2 || picture instanceof Blob) return null;
    const { width, height } = sizeOf(picture);
    const fitting = this.#variants.some(takesLines) ? fittingLine : fittingSize;
    return fitting(this.sizes, width, height);
  }
}

function takesLines({ inputs }: Manifest): boolean {
  return inputs.some((input) => input.kind === "image" && input.letterbox.mode === "line");
}

/** Whether the tensors have the shapes of the inputs; inputs without a tensor are not checked. */
function haveShapes(inputs: Manifest["inputs"], feeds: Tensors): boolean {
  return inputs.every(({ name, shape }) => {
    const dims = Object(feeds)[name]?.dims;
    return !Array.isArray(dims) || dims.join() === shape.join();
  });
}
