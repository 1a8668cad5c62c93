// Test data of the GPU self-checks: the same noise every time, and a buffer that holds it.

/** Returns numbers from -range to range, the same every time. */
export function noise(count: number, range: number): Float32Array<ArrayBuffer> {
  let seed = 1;
  return Float32Array.from({ length: count }, () => {
    seed = (seed * 48271) % 2147483647;
    return ((seed % 2001) / 1000 - 1) * range;
  });
}

/** Uploads the numbers, does work with their buffer, and destroys it. */
export async function withBuffer<T>(
  device: GPUDevice,
  data: Float32Array<ArrayBuffer>,
  work: (buffer: GPUBuffer) => Promise<T>,
): Promise<T> {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const buffer = device.createBuffer({ size: data.byteLength, usage });
  device.queue.writeBuffer(buffer, 0, data);
  try {
    return await work(buffer);
  } finally {
    buffer.destroy();
  }
}

/** Returns the largest difference between two arrays of levels from 0 to 255; infinity if their lengths differ. */
export function maxLevelDifference(want: ArrayLike<number>, got: ArrayLike<number>): number {
  if (want.length !== got.length) return Number.POSITIVE_INFINITY;
  return Array.from(want).reduce(
    (most, level, at) => Math.max(most, Math.abs(level - (got[at] ?? Number.NaN))),
    0,
  );
}

/** The maximum share of a picture's pixels whose class may differ: those with two nearly equal scores. */
const PIXEL_TOLERANCE = 0.01;

/** Describes the share of pixels that differ, such as "gives 3 % of a picture to another region"; null within the tolerance. */
export function pixelDifference(share: number, what: string): string | null {
  return share <= PIXEL_TOLERANCE ? null : `gives ${(share * 100).toFixed(0)} % of ${what}`;
}
