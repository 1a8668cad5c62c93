import { describe, expect, test } from "vitest";
import type { Backend, ImageResult, RunOptions, TileResult } from "../../src/index.js";
import { readPixels } from "../../src/preprocess/pixels.js";
import { runTiles, type TileRun } from "../../src/tiles/run-tiles.js";
import { backends, keepEngine, loadTiny } from "../support/bundle.js";
import { noise } from "../support/noise.js";

for (const backend of backends) keepEngine(backend);

const [WIDTH, HEIGHT] = [80, 56] as const;

/** A hole that spans several tiles, and single pixels of one. */
const MASK = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
  const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)];
  return Number((x > 10 && x < 70 && y > 20 && y < 40) || (x % 9 === 0 && y % 7 === 0));
});

async function filled(manifest: string, backend: Backend, source: ImageData, options: RunOptions = {}) {
  const model = await loadTiny({ backend }, manifest);
  const result = (await model.run(source, { mask: MASK.slice(), ...options })) as ImageResult;
  return readPixels(result.picture);
}

describe.each(backends)("%s", (backend) => {
  test.each(["tiles", "blended"])("a mask is split into the tiles of its image; %s", async (name) => {
    const source = noise(WIDTH, HEIGHT);
    const whole = await filled("filling-whole.json", backend, source);
    const tiled = await filled(`filling-${name}.json`, backend, source);
    // More than the halo is known of all blended pixels.
    expect(tiled.data).toEqual(whole.data);
    const changed = MASK.filter((hole, at) => hole && tiled.data[at * 4] !== source.data[at * 4]);
    expect(changed.length).toBeGreaterThan(1000);
  });
});

const backend = "wasm";

test("filled-in pixels are opaque, the image around them keeps its alpha", async () => {
  const source = noise(WIDTH, HEIGHT, (x) => 100 + x);
  const { data } = await filled("filling-tiles.json", backend, source);
  const alphas = data.filter((_, at) => at % 4 === 3);
  expect(alphas).toEqual(Uint8ClampedArray.from(MASK, (hole, at) => (hole ? 255 : 100 + (at % WIDTH))));
});

test("each tile is reported, tiles without a hole unchanged", async () => {
  const tiles: TileResult[] = [];
  const source = noise(WIDTH, HEIGHT);
  const mask = new Uint8Array(WIDTH * HEIGHT);
  mask[0] = 1;
  const onTile = (tile: TileResult): void => {
    tiles.push(tile);
  };
  const { data } = await filled("filling-tiles.json", backend, source, { mask, onTile });
  expect(tiles.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(data.subarray(4)).toEqual(source.data.subarray(4));
  expect(data.subarray(0, 3)).not.toEqual(source.data.subarray(0, 3));
});

test("a mask of another size than the image is refused", async () => {
  const run = filled("filling-tiles.json", backend, noise(WIDTH, HEIGHT), { mask: new Uint8Array(32 * 32) });
  await expect(run).rejects.toMatchObject({ code: "invalid-option" });
});

test.each([
  ["a hole in one tile", (at: number) => Number(at === 0), true, 1],
  ["a hole in every tile", () => 255, true, 6],
  ["no hole", () => 0, true, 1],
  ["a result that is another picture outside too", () => 0, false, 6],
])("only the necessary tiles run: %s", async (_, value, keepsOutside, count) => {
  const picture = noise(WIDTH, HEIGHT);
  const hole = { width: WIDTH, height: HEIGHT, data: Uint8Array.from(MASK, (_, at) => value(at)) };
  const plan = { halo: 2, multiple: 1, exact: true, feather: 0, seam: 0 };
  const tiling = { plan, input: { width: 32, height: 32 }, scale: 1 };
  let runs = 0;
  const run = async (pixels: ImageData): Promise<TileRun> => {
    runs++;
    return { pixels, run: FACTS };
  };
  const { joined } = await runTiles({ picture, hole, keepsOutside }, tiling, run, null);
  expect(runs).toBe(count);
  expect(joined.data).toEqual(picture.data);
});

const FACTS: TileRun["run"] = {
  size: [32, 32],
  timings: { preprocess: 0, inference: 0, postprocess: 0, total: 0 },
  preprocess: { path: "cpu", reason: "", texture: null },
  postprocess: { path: "cpu", reason: "" },
  backend: "wasm",
  fallback: null,
  warnings: [],
};
