// The output of a model that makes pictures into pixels, on the CPU. The shader in gpu/ does the same in float32.

import type { ImageTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import type { Pixels } from "../../preprocess/pixels.js";
import { readRows } from "../depth/depth-map.js";

/** The planes of an output, `grid` large, over an input. */
export interface PicturePlanes {
  values: ArrayLike<number>;
  grid: Size;
  input: Size;
}

type Format = Pick<ImageTask, "layout" | "scale" | "low" | "high" | "order">;

const CHANNELS = 3;

/** Where the source picture lies, at the scale of the picture that is made of it. */
export function enlarged(geometry: Geometry, { scale }: Pick<ImageTask, "scale">): Geometry {
  const { width, height } = geometry.source;
  return { ...geometry, source: { width: width * scale, height: height * scale } };
}

/** How far apart the elements of a row and of a pixel's channels are, and the channel that each colour has. */
export function strides({ layout, order }: Format, { width, height }: Size): [number, number, number[]] {
  const [step, stride] = layout === "nchw" ? [1, width * height] : [CHANNELS, 1];
  return [step, stride, order === "rgb" ? [0, 1, 2] : [2, 1, 0]];
}

/** What the model did not see is transparent, and black. */
export function paintPicture(geometry: Geometry, format: Format, planes: PicturePlanes): ImageData {
  const large = enlarged(geometry, format);
  const { width, height } = large.source;
  const picture = new ImageData(width, height);
  const { data } = picture;
  data.fill(255);
  const [step, stride, channels] = strides(format, planes.grid);
  for (const [color, channel] of channels.entries()) {
    const values = plane(planes, step, channel * stride);
    let at = color;
    for (const row of readRows(large, { values, grid: planes.grid, input: planes.input })) {
      for (const value of row) {
        if (Number.isNaN(value)) data[at - color + 3] = 0;
        else data[at] = levelOf(format, value);
        at += 4;
      }
    }
  }
  const pixels = new Uint32Array(data.buffer);
  for (let at = 0; at < pixels.length; at++) if (data[at * 4 + 3] === 0) pixels[at] = 0;
  return picture;
}

function levelOf({ low, high }: Format, value: number): number {
  return Math.floor(255 * Math.min(Math.max((value - low) / (high - low), 0), 1) + 0.5);
}

/** Returns a plane by itself. */
function plane({ values, grid }: PicturePlanes, step: number, first: number): Float32Array {
  return Float32Array.from(
    { length: grid.width * grid.height },
    (_, cell) => values[first + cell * step] ?? Number.NaN,
  );
}

/** Puts the source's pixels where the mask is 0. */
export function keepOutside(painted: ImageData, mask: Uint8Array, source: Pixels): void {
  const pixels = new Uint32Array(painted.data.buffer);
  const own = new Uint32Array(source.data.buffer, source.data.byteOffset, pixels.length);
  for (let at = 0; at < pixels.length; at++) if (mask[at] === 0) pixels[at] = own[at] ?? 0;
}
