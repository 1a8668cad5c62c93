// Colours for numbers: even steps of the number are even steps to the eye, and lightness alone tells them in order.

/**
 * Nine of the 256 colours of viridis, at even steps, from dark to bright, with straight lines between them. By Stéfan van
 * der Walt and Nathaniel Smith for matplotlib, 2015, who gave them to the public domain (CC0).
 */
const written = "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725".split(" ");

/** Red, green, blue of each. */
export const stops: readonly (readonly [number, number, number])[] = written.map((stop) => {
  const level = (index: number): number => Number.parseInt(stop.slice(index * 2, index * 2 + 2), 16);
  return [level(0), level(1), level(2)];
});

const levels = Float64Array.from(stops.flat());
const last = stops.length - 1;

/** The colours as a gradient of CSS, from left to right. */
export const gradient = `linear-gradient(90deg, ${written.map((stop) => `#${stop}`).join(", ")})`;

/** Steps so small that a level of a channel is several of them. */
const STEPS = 4096;

/** The colours of all steps, red in the lowest byte, then green and blue: as a picture's data has them. */
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
