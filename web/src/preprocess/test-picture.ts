// The test picture of the self-checks.

/** A small picture of odd width and height with all levels of colour and alpha; its upper half is opaque. */
export function testPicture(): ImageData {
  const picture = new ImageData(61, 47);
  const { data } = picture;
  for (let at = 0, seed = 1; at < data.length; at++) {
    seed = (seed * 48271) % 2147483647;
    data[at] = at % 4 === 3 && at < data.length / 2 ? 255 : seed % 256;
  }
  return picture;
}
