import { describe, expect, test } from "vitest";
import type { ImageResult, Model, RunOptions, TensorData, TileResult } from "../../src/index.js";
import { readPixels } from "../../src/preprocess/pixels.js";
import { tilesOf } from "../../src/tiles/plan.js";
import { readSource } from "../../src/tiles/run-tiles.js";
import { backends, keepEngine, loadTiny, sharedTiny } from "../support/bundle.js";
import { noise as noisePicture } from "../support/noise.js";

for (const backend of backends) keepEngine(backend);

const [WIDTH, HEIGHT, TILE, HALO] = [80, 56, 32, 2] as const;

function noise(width: number = WIDTH, height: number = HEIGHT, alpha?: (x: number) => number): ImageData {
  return noisePicture(width, height, alpha);
}

async function imageOf(model: Model, source: ImageData, options?: RunOptions): Promise<ImageResult> {
  const result = await model.run(source, options);
  if (result.kind !== "image") throw new Error(`a ${result.kind} result`);
  return result;
}

/** Numbers of 0..1 for each pixel and channel, fixed by the position in the image. */
function floats(width: number, height: number, left: number, top: number): TensorData {
  const data = new Float32Array(3 * width * height);
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [left + (at % width), top + (Math.floor(at / width) % height)];
    const channel = Math.floor(at / (width * height));
    data[at] = ((x * 7919 + y * 104_729 + channel * 1_299_709) % 1009) / 1008;
  }
  return { type: "float32", dims: [1, 3, height, width], data };
}

async function answer(model: Model, image: TensorData): Promise<Float32Array> {
  const { y } = await model.runTensors({ image });
  return y?.data as Float32Array;
}

describe.each(backends)("%s", (backend) => {
  test("the numbers from tiles equal those from the whole image, bit for bit", async () => {
    const whole = await answer(await loadTiny({ backend }, "whole.json"), floats(WIDTH, HEIGHT, 0, 0));
    const model = await loadTiny({ backend }, "tiles.json");
    const joined = new Float32Array(whole.length);
    for (const { column, row } of tilesOf(
      { width: WIDTH, height: HEIGHT },
      { width: TILE, height: TILE },
      {
        halo: HALO,
        multiple: 1,
      },
    )) {
      const tile = await answer(model, floats(TILE, TILE, column.offset, row.offset));
      for (let channel = 0; channel < 3; channel++)
        for (let y = row.start * 2; y < row.end * 2; y++) {
          const from = (channel * TILE * 2 + y - row.offset * 2) * TILE * 2 - column.offset * 2;
          const into = (channel * HEIGHT * 2 + y) * WIDTH * 2;
          joined.set(tile.subarray(from + column.start * 2, from + column.end * 2), into + column.start * 2);
        }
    }
    expect(new Uint32Array(joined.buffer)).toEqual(
      new Uint32Array(whole.buffer, whole.byteOffset, whole.length),
    );
  });

  test.each(["", "luma-"])(
    "an image larger than the input gives the same result as untiled: %s",
    async (kind) => {
      const want = await imageOf(await loadTiny({ backend }, `${kind}whole.json`), noise());
      const result = await imageOf(await loadTiny({ backend }, `${kind}tiles.json`), noise());
      expect([result.width, result.height]).toEqual([WIDTH, HEIGHT]);
      expect([result.picture.width, result.picture.height]).toEqual([WIDTH * 2, HEIGHT * 2]);
      expect((await readPixels(result.picture)).data).toEqual((await readPixels(want.picture)).data);
    },
  );

  test("each tile is reported as soon as it is done", async () => {
    const model = await loadTiny({ backend }, "tiles.json");
    const tiles: TileResult[] = [];
    let finished = false;
    const seen: boolean[] = [];
    const onTile = (tile: TileResult): void => {
      tiles.push(tile);
      seen.push(finished);
    };
    const { picture } = await imageOf(model, noise(), { onTile }).finally(() => {
      finished = true;
    });
    expect(tiles.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(tiles.map(({ count }) => count)).toEqual([6, 6, 6, 6, 6, 6]);
    expect(seen).not.toContain(true);
    const whole = await readPixels(picture);
    for (const tile of tiles) {
      const { data } = await readPixels(tile.picture);
      const rows = Array.from({ length: tile.height }, (_, row) => {
        const from = ((tile.y + row) * whole.width + tile.x) * 4;
        return [...whole.data.subarray(from, from + tile.width * 4)];
      });
      expect([...data]).toEqual(rows.flat());
    }
    expect(tiles.reduce((sum, { width, height }) => sum + width * height, 0)).toBe(4 * WIDTH * HEIGHT);
  });
});

const backend = "wasm";

const tiny = sharedTiny({ backend }, "tiles.json");

test("an aborted run runs no further tiles, and the next run resolves", async () => {
  const model = tiny();
  const stop = new AbortController();
  let heard = 0;
  const onTile = (tile: TileResult): void => {
    tile.picture.close();
    if (++heard === 2) stop.abort();
  };
  const run = model.run(noise(), { onTile, signal: stop.signal });
  await expect(run).rejects.toMatchObject({ code: "aborted" });
  const { picture } = await imageOf(model, noise());
  expect(picture.width).toBe(WIDTH * 2);
  expect(heard).toBe(2);
});

test("another model can run between the tiles", async () => {
  const tiled = tiny();
  const other = await loadTiny({ backend }, "conv.json");
  const order: string[] = [];
  let first: Promise<unknown> | null = null;
  const onTile = (tile: TileResult): void => {
    order.push(`tile ${tile.index}`);
    first ??= other.run(noise(16, 16)).then(() => order.push("other"));
  };
  await tiled.run(noise(320, 320), { onTile });
  await first;
  expect(order.indexOf("other")).toBeGreaterThan(0);
  expect(order.indexOf("other")).toBeLessThan(order.length - 1);
});

test("a listener that throws ends no run", async () => {
  const model = tiny();
  const errors: unknown[] = [];
  const report = (event: ErrorEvent): void => {
    errors.push(event.error);
    event.preventDefault();
  };
  addEventListener("error", report);
  const own = new Error("the page's own");
  const onTile = (): never => {
    throw own;
  };
  const reportError = globalThis.reportError;
  globalThis.reportError = (error) => errors.push(error);
  try {
    const { picture } = await imageOf(model, noise(), { onTile });
    expect(picture.width).toBe(WIDTH * 2);
    expect(errors).toContain(own);
  } finally {
    globalThis.reportError = reportError;
    removeEventListener("error", report);
  }
});

test("a listener that never settles holds up neither its run nor the next one", async () => {
  const model = tiny();
  const heard: number[] = [];
  const onTile = (tile: TileResult): Promise<void> => {
    tile.picture.close();
    heard.push(tile.index);
    return new Promise(() => {});
  };
  await imageOf(model, noise(), { onTile });
  expect(heard).toEqual([0, 1, 2, 3, 4, 5]);
  const { picture } = await imageOf(await loadTiny({ backend }, "tiles.json"), noise());
  expect(picture.width).toBe(WIDTH * 2);
});

test("alpha is enlarged separately, and colours are not premultiplied", async () => {
  const model = tiny();
  const opaque = await readPixels((await imageOf(model, noise())).picture);
  const { picture } = await imageOf(
    model,
    noise(WIDTH, HEIGHT, (x) => 128 + x),
  );
  const { data } = await readPixels(picture);
  const [colors, alphas] = [0, 3].map((first) => data.filter((_, at) => at % 4 === first));
  expect(alphas?.slice(0, 4)).toEqual(Uint8ClampedArray.of(128, 128, 129, 129));
  const worst = Math.max(...(colors ?? []).map((red, at) => Math.abs(red - (opaque.data[at * 4] ?? 0))));
  expect(worst).toBeLessThanOrEqual(1);
});

test.each([
  [20, 10],
  [100, 10],
  [1, 1],
  [32, 32],
])("an image of %i x %i is enlarged by 2", async (width, height) => {
  const model = tiny();
  const { picture } = await imageOf(model, noise(width, height));
  expect([picture.width, picture.height]).toEqual([2 * width, 2 * height]);
});

test("without tiles the image is resized", async () => {
  const model = tiny();
  const heard: TileResult[] = [];
  const { picture } = await imageOf(model, noise(), { tiles: false, onTile: (tile) => heard.push(tile) });
  const tiled = await imageOf(model, noise());
  expect([picture.width, picture.height]).toEqual([WIDTH * 2, HEIGHT * 2]);
  expect((await readPixels(picture)).data).not.toEqual((await readPixels(tiled.picture)).data);
  expect(heard).toEqual([]);
});

test("tiles that are not exact are blended where they meet", async () => {
  const exact = await imageOf(tiny(), noise());
  const blended = await imageOf(await loadTiny({ backend }, "blended.json"), noise());
  // More than the halo is known of all blended pixels, so that both tiles have the same values there.
  expect((await readPixels(blended.picture)).data).toEqual((await readPixels(exact.picture)).data);
});

test.each([
  ["whole.json", { tiles: "auto" }, "packed without them"],
  ["below-halo.json", { tiles: "auto" }, "no room for a halo of 16 pixels"],
  ["tiles.json", { tiles: 3 }, 'wanted "auto" or false'],
  ["conv.json", { tiles: false }, "is not an image-to-image model"],
  ["conv.json", { onTile: () => {} }, "is not an image-to-image model"],
])("%s refuses %o", async (manifest, options, said) => {
  const model = await loadTiny({ backend }, manifest);
  const run = model.run(noise(16, 16), options as RunOptions);
  await expect(run).rejects.toMatchObject({ code: "invalid-option", message: expect.stringContaining(said) });
});

test("an image is resized if tiles would be smaller than their halo", async () => {
  const model = await loadTiny({ backend }, "below-halo.json");
  const { picture } = await imageOf(model, noise());
  expect([picture.width, picture.height]).toEqual([WIDTH * 2, HEIGHT * 2]);
});

test("a result of more than 67 megapixels is refused, and the message gives an accepted size", async () => {
  const picture = await createImageBitmap(new ImageData(4100, 4100));
  const { code, fix } = (await readSource(picture, 2).catch((error: unknown) => error)) as {
    code: string;
    fix: string;
  };
  expect([code, fix]).toEqual([
    "picture-too-large",
    "give a picture of at most 16.7 megapixels, or parts of it one by one",
  ]);
  await expect(readSource(picture, 1)).resolves.toMatchObject({ width: 4100, height: 4100 });
});

test("a too large result is refused without tiles too, for a bitmap and for a file", async () => {
  const canvas = new OffscreenCanvas(4100, 4100);
  canvas.getContext("2d");
  const file = await canvas.convertToBlob();
  for (const picture of [canvas, file])
    await expect(tiny().run(picture, { tiles: false })).rejects.toMatchObject({ code: "picture-too-large" });
});
