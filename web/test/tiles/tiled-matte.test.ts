import { describe, expect, test } from "vitest";
import type { MatteResult, RunOptions, TileResult } from "../../src/index.js";
import { readPixels } from "../../src/preprocess/pixels.js";
import { backends, keepEngine, loadTiny, sharedTiny } from "../support/bundle.js";
import { noise } from "../support/noise.js";

for (const backend of backends) keepEngine(backend);

const [WIDTH, HEIGHT] = [80, 56] as const;

async function cutOut(manifest: string, backend: string, source: ImageData, options?: RunOptions) {
  const model = await loadTiny({ backend } as Parameters<typeof loadTiny>[0], manifest);
  return matteOf(await model.run(source, options));
}

async function matteOf(result: unknown): Promise<{ result: MatteResult; pixels: Uint8ClampedArray }> {
  const matte = result as MatteResult;
  expect(matte.kind).toBe("matte");
  return { result: matte, pixels: (await readPixels(matte.cutout)).data };
}

function translucent(): ImageData {
  return noise(WIDTH, HEIGHT, (x) => 128 + x);
}

describe.each(backends)("%s", (backend) => {
  test.each(["matting", "foreground"])(
    "alpha and cutout of %s equal those of the whole image",
    async (name) => {
      for (const source of [noise(WIDTH, HEIGHT), translucent()]) {
        const whole = await cutOut(`${name}-whole.json`, backend, source);
        const tiled = await cutOut(`${name}-tiles.json`, backend, source);
        expect([tiled.result.width, tiled.result.height]).toEqual([WIDTH, HEIGHT]);
        expect(new Set(whole.result.alpha).size).toBeGreaterThan(100);
        expect(tiled.result.alpha).toEqual(whole.result.alpha);
        const shown = (pixels: Uint8ClampedArray, at: number): number =>
          at % 4 === 3 ? (pixels[at] ?? 0) : ((pixels[at] ?? 0) * (pixels[at | 3] ?? 0)) / 255;
        const apart = Array.from(tiled.pixels, (_, at) =>
          Math.abs(shown(tiled.pixels, at) - shown(whole.pixels, at)),
        );
        // the foreground colours went through two bitmaps, which premultiply them by alpha
        expect(Math.max(...apart)).toBeLessThanOrEqual(name === "foreground" ? 1 : 0);
      }
    },
  );
});

const backend = "wasm";
const tiny = sharedTiny({ backend }, "matting-tiles.json");

test.each(["#3060c0", "blur"])("the tiles' cutout is placed on %s once", async (background) => {
  const whole = await cutOut("matting-whole.json", backend, noise(WIDTH, HEIGHT), { background });
  const tiled = await matteOf(await tiny().run(noise(WIDTH, HEIGHT), { background }));
  expect(tiled.pixels).toEqual(whole.pixels);
  expect(tiled.pixels.filter((_, at) => at % 4 === 3).every((level) => level === 255)).toBe(true);
});

test("each tile is reported as a cutout without a background", async () => {
  const tiles: TileResult[] = [];
  const onTile = (tile: TileResult): void => {
    tiles.push(tile);
  };
  const { result } = await matteOf(await tiny().run(noise(WIDTH, HEIGHT), { onTile, background: "#3060c0" }));
  expect(tiles.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  for (const { x, y, width, picture } of tiles) {
    const { data } = await readPixels(picture);
    const row = data.subarray(0, width * 4).filter((_, at) => at % 4 === 3);
    expect([...row]).toEqual([...result.alpha.subarray(y * WIDTH + x, y * WIDTH + x + width)]);
  }
});

test("without tiles the image is resized", async () => {
  const tiled = await matteOf(await tiny().run(noise(WIDTH, HEIGHT)));
  const resized = await matteOf(await tiny().run(noise(WIDTH, HEIGHT), { tiles: false }));
  expect(resized.result.alpha).toHaveLength(WIDTH * HEIGHT);
  expect(resized.result.alpha).not.toEqual(tiled.result.alpha);
});

test("a model of the whole image refuses tiles", async () => {
  const model = await loadTiny({ backend }, "matting-whole.json");
  const run = model.run(noise(16, 16), { tiles: "auto" });
  await expect(run).rejects.toMatchObject({
    code: "invalid-option",
    message: expect.stringContaining("packed without them"),
  });
});
