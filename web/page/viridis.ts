// Colours for numbers: even steps of the number are even steps to the eye, and lightness alone tells them in order.

/**
 * Nine of the 256 colours of viridis, at even steps, from dark to bright. By Stéfan van der Walt and Nathaniel Smith
 * for matplotlib, 2015, who gave them to the public domain (CC0).
 */
const stops = "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725".split(" ");

const steps = 256;

/** 256 colours, each red, green, blue: the stops, and straight lines between them. */
export const viridis: Uint8Array = Uint8Array.from({ length: steps * 3 }, (_, index) => {
  const place = (Math.floor(index / 3) / (steps - 1)) * (stops.length - 1);
  const first = Math.min(Math.floor(place), stops.length - 2);
  const from = channel(first, index % 3);
  return Math.round(from + (place - first) * (channel(first + 1, index % 3) - from));
});

/** The same as a gradient of CSS, from left to right. */
export const gradient = `linear-gradient(90deg, ${stops.map((stop) => `#${stop}`).join(", ")})`;

/** The place in `viridis` of a share of 0 to 1, clamped. */
export function shade(share: number): number {
  return Math.round(Math.min(Math.max(share, 0), 1) * (steps - 1)) * 3;
}

function channel(stop: number, index: number): number {
  return Number.parseInt(stops[stop]?.slice(index * 2, index * 2 + 2) ?? "", 16);
}
