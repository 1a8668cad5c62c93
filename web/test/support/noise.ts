// A picture that is nowhere the same, and the same in each run.

export function noise(width: number, height: number, alpha: (x: number) => number = () => 255): ImageData {
  const picture = new ImageData(width, height);
  for (let at = 0, state = 7; at < picture.data.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    picture.data[at] = at % 4 === 3 ? alpha((at >> 2) % width) : state >>> 24;
  }
  return picture;
}
