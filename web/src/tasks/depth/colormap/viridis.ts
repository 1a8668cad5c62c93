// The viridis colormap: equal steps of the value look equal, and lightness alone shows their order.

/**
 * Nine of the 256 colours of viridis, at equal steps, from dark to bright; colours between them are
 * interpolated linearly. By Stéfan van der Walt and Nathaniel Smith for matplotlib, 2015, in the public
 * domain (CC0).
 */
const written = "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725".split(" ");

/** The red, green and blue of each colour. */
export const stops: readonly (readonly [number, number, number])[] = written.map((stop) => {
  const level = (index: number): number => Number.parseInt(stop.slice(index * 2, index * 2 + 2), 16);
  return [level(0), level(1), level(2)];
});

const levels = Float64Array.from(stops.flat());
const last = stops.length - 1;

/** The colours as a CSS gradient, from left to right. */
export const gradient = `linear-gradient(90deg, ${written.map((stop) => `#${stop}`).join(", ")})`;

/** The size of the table: one level of a channel is several steps. */
const STEPS = 4096;

/** The colours of all steps, as in ImageData: red in the lowest byte, then green and blue. */
const table = Uint32Array.from({ length: STEPS + 1 }, (_, step) => {
  const along = (step / STEPS) * last;
  const first = Math.min(Math.floor(along), last - 1);
  const level = (channel: number): number => {
    const [from, to] = [levels[first * 3 + channel] ?? 0, levels[first * 3 + 3 + channel] ?? 0];
    return Math.floor(from + (along - first) * (to - from) + 0.5);
  };
  return level(0) | (level(1) << 8) | (level(2) << 16);
});

/** Returns the colour of a share of 0 to 1, clamped. */
export function viridisColor(share: number): number {
  return table[Math.floor(Math.min(Math.max(share, 0), 1) * STEPS + 0.5)] ?? 0;
}
