// Which of a model's graphs a run takes: it has one for each size of picture and each number of pictures.

import { internalError, WebbuildError } from "../api/errors.js";
import type { PictureSize, Tensors } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureBatch, pictureSize, pictureSizes, sameSize } from "../manifest/variants.js";
import { sizeOf } from "../preprocess/canvas-pixels.js";
import { fittingLine, fittingSize } from "../preprocess/fitting-size.js";
import type { PackedPicture } from "../preprocess/pixels.js";

/** Pictures that are run at a size, null where the model has one alone, and their places in the call. */
export interface SizedPictures {
  size: PictureSize | null;
  pictures: PackedPicture[];
  places: number[];
}

export class VariantChoice {
  /** Width and height of the pictures, each once. */
  readonly sizes: readonly PictureSize[];
  /** How many pictures are run together, in rising order. */
  readonly batches: readonly number[];
  readonly #variants: readonly Manifest[];

  constructor(variants: readonly Manifest[]) {
    this.#variants = variants;
    this.sizes = pictureSizes(variants);
    this.batches = [...new Set(variants.map(pictureBatch))].sort((a, b) => a - b);
  }

  /** Returns the variant for so many pictures of a size, null for the first. */
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

  /** Returns the variant whose inputs have the shapes of these tensors, rather one that gets all of them; else the first. */
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

  /** Returns the largest batch that so many pictures fill. Throws "no-graph" where each wants more. */
  largestBatch(pictures: number): number {
    const filled = this.batches.findLast((each) => each <= pictures);
    if (filled !== undefined) return filled;
    const what = `every graph takes ${this.batches[0]} pictures or more, not ${pictures}`;
    throw new WebbuildError("no-graph", what, "pack the model again");
  }

  /** Puts parts of a picture together that run at one size: a line at the narrowest that holds it, any other at the first. */
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

  /** Puts pictures together that run at one size: at `asked`, with null each at the best for it. The pictures of a stack stay together. */
  bySize(pictures: readonly PackedPicture[], asked: PictureSize | null, isStack: boolean): SizedPictures[] {
    const chosen: SizedPictures[] = [];
    for (const [place, picture] of pictures.entries()) {
      const size = asked ?? this.#fittingSize(isStack ? (pictures[0] ?? picture) : picture);
      const same = chosen.find((each) => each.size === size);
      if (same === undefined) {
        chosen.push({ size, pictures: [picture], places: [place] });
      } else {
        same.pictures.push(picture);
        same.places.push(place);
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

/** Whether tensors are of the shapes that inputs have; those that are left out fit any. */
function haveShapes(inputs: Manifest["inputs"], feeds: Tensors): boolean {
  return inputs.every(({ name, shape }) => {
    const dims = Object(feeds)[name]?.dims;
    return !Array.isArray(dims) || dims.join() === shape.join();
  });
}
