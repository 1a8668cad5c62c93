// A vector as a small picture: a cell per number, blue below 0 and red above, stronger for larger magnitudes.

const BELOW = [37, 99, 235] as const;
const ABOVE = [220, 38, 38] as const;

/** Returns a picture twice as wide as high, with the numbers row by row; cells after the last are transparent. */
function vectorPicture(vector: Float32Array): ImageData {
  const columns = Math.max(1, Math.ceil(Math.sqrt(2 * vector.length)));
  const picture = new ImageData(columns, Math.max(1, Math.ceil(vector.length / columns)));
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  for (const [at, value] of vector.entries()) {
    const alpha = Math.round((255 * Math.abs(value)) / largest);
    picture.data.set([...(value < 0 ? BELOW : ABOVE), alpha], 4 * at);
  }
  return picture;
}

export function drawVector(canvas: HTMLCanvasElement, vector: Float32Array | null): void {
  canvas.hidden = vector === null;
  if (vector === null) return;
  const picture = vectorPicture(vector);
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext("2d")?.putImageData(picture, 0, 0);
}
