import { describe, expect, test } from "vitest";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import {
  applyColormap,
  type ConfidenceAlpha,
  colormapGeometry,
  colormapPosition,
  confidenceAlpha,
} from "../../src/tasks/depth/colormap/cpu-colormap.js";
import { viridisColor } from "../../src/tasks/depth/colormap/viridis.js";
import type { DepthMap } from "../../src/tasks/depth/depth-map.js";
import { scaleOf } from "../../src/tasks/depth/depth-result.js";

function color(share: number): number[] {
  const packed = viridisColor(share);
  return [packed & 255, (packed >> 8) & 255, packed >> 16];
}

/** A map with one cell for each pixel of the image. */
function asItIs(width: number, values: number[]): { geometry: Geometry; map: DepthMap } {
  const size = { width, height: values.length / width };
  const geometry = { source: size, left: 0, top: 0, ...size };
  return { geometry, map: { values: Float32Array.from(values), grid: size, input: size } };
}

function pixels({ data }: ImageData): number[][] {
  return Array.from({ length: data.length / 4 }, (_, index) => [...data.slice(index * 4, index * 4 + 4)]);
}

const scale = { near: 0.5, far: 3 };
const own = { near: null, far: null };

describe("colours", () => {
  test("go from dark to bright monotonically", () => {
    const lightness = Array.from({ length: 256 }, (_, index) => {
      const [red = 0, green = 0, blue = 0] = color(index / 255);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    });
    expect(lightness.every((value, index) => index === 0 || value >= (lightness[index - 1] ?? 0) - 0.5)).toBe(
      true,
    );
    expect([color(0), color(0.5), color(1)]).toEqual([
      [0x44, 0x01, 0x54],
      [0x21, 0x91, 0x8c],
      [0xfd, 0xe7, 0x25],
    ]);
    expect([color(-1), color(2)]).toEqual([color(0), color(1)]);
  });

  test("are bright for near values, whatever the map contains", () => {
    expect(scaleOf({ ...own, quantity: "depth" }, { min: 0.5, max: 3 })).toEqual({ near: 0.5, far: 3 });
    expect(scaleOf({ ...own, quantity: "inverse-depth" }, { min: 0.5, max: 3 })).toEqual({
      near: 3,
      far: 0.5,
    });
    expect(colormapPosition(scale, 0.5)).toBe(1);
    expect(colormapPosition(scale, 3)).toBeCloseTo(0, 12);
  });

  test("use the model's own range if it has one", () => {
    const known = { near: 0.5, far: 3 };
    expect(scaleOf({ ...known, quantity: "depth" }, { min: 1, max: 2 })).toEqual({ near: 0.5, far: 3 });
    expect(scaleOf({ ...known, quantity: "inverse-depth" }, { min: 1, max: 2 })).toEqual({
      near: 3,
      far: 0.5,
    });
    expect(colormapPosition({ near: 2, far: 2 }, 2)).toBe(0.5);
  });
});

describe("the image of a map", () => {
  test("has the map's colours, and is transparent where there is no depth", () => {
    const { geometry, map } = asItIs(3, [0.5, 3, Number.NaN]);
    const [near, , none] = pixels(applyColormap(geometry, map, scale, null));
    expect([near, none]).toEqual([
      [...color(1), 255],
      [0, 0, 0, 0],
    ]);
  });

  test("fades where the confidence is low", () => {
    const { geometry, map } = asItIs(2, [0.5, 3]);
    const alpha = (fading: ConfidenceAlpha | null) =>
      pixels(applyColormap(geometry, map, scale, fading)).map((each) => each[3]);
    const sure = (values: number[]) => confidenceAlpha(geometry, asItIs(2, values).map);
    expect(alpha(sure([1, 0]))).toEqual([255, 0]);
    expect(alpha(null)).toEqual([255, 255]);
    expect(alpha(sure([4, 2]))).toEqual([255, 128]);
    expect(alpha(sure([0.5, Number.NaN]))).toEqual([0, 0]);
  });

  test("has the source image's aspect ratio, and is no larger than a stage", () => {
    const { geometry } = asItIs(2600, new Array(2600 * 4).fill(0));
    expect(colormapGeometry(geometry)).toEqual({ ...geometry, source: { width: 1280, height: 2 } });
    const small = asItIs(3, [0, 1, 2]).geometry;
    expect(colormapGeometry(small)).toEqual(small);
  });
});
