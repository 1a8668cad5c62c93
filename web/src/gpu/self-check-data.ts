// Test data of the GPU self-checks: the same noise every time, and a buffer that holds it.

/** Numbers from -reach to reach, the same every time. */
export function noise(count: number, reach: number): Float32Array<ArrayBuffer> {
  let seed = 1;
  return Float32Array.from({ length: count }, () => {
    seed = (seed * 48271) % 2147483647;
    return ((seed % 2001) / 1000 - 1) * reach;
  });
}

/** Does some work with the numbers on the GPU, and gives their buffer back. */
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

/** The most that a level of 0 to 255 differs by, infinity where there are more of one than of the other. */
export function levelsApart(want: ArrayLike<number>, got: ArrayLike<number>): number {
  if (want.length !== got.length) return Number.POSITIVE_INFINITY;
  return Array.from(want).reduce(
    (most, level, at) => Math.max(most, Math.abs(level - (got[at] ?? Number.NaN))),
    0,
  );
}

/** The part of the pixels of a noisy picture that may go to another: those where two are about equally likely. */
const PIXEL_TOLERANCE = 0.01;

/** Returns in words that a part of the pixels went elsewhere, null where it is small enough. */
export function pixelDifference(part: number, what: string): string | null {
  return part <= PIXEL_TOLERANCE ? null : `gives ${(part * 100).toFixed(0)} % of ${what}`;
}
