// A reproducible image of noise.

export function noise(width: number, height: number, alpha: (x: number) => number = () => 255): ImageData {
  const picture = new ImageData(width, height);
  for (let at = 0, state = 7; at < picture.data.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    picture.data[at] = at % 4 === 3 ? alpha((at >> 2) % width) : state >>> 24;
  }
  return picture;
}

/** Numbers from 0 up to 1, the same for the same seed. */
export function seededNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
