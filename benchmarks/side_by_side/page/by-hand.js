// What a page does by hand for a pose model: a canvas makes the tensor, a loop suppresses what overlaps.

export const SIDE = 192;
const GREY = "rgb(114, 114, 114)";
const CONFIDENCE = 0.25;
const IOU = 0.7;

const canvas = document.createElement("canvas");
canvas.width = canvas.height = SIDE;
const context = canvas.getContext("2d", { willReadFrequently: true });

/** Returns the tensor [1, 3, SIDE, SIDE], and what takes a box back into the picture. */
export function letterboxed(picture) {
  const scale = Math.min(SIDE / picture.width, SIDE / picture.height);
  const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  const [left, top] = [Math.floor((SIDE - width) / 2), Math.floor((SIDE - height) / 2)];
  context.fillStyle = GREY;
  context.fillRect(0, 0, SIDE, SIDE);
  context.drawImage(picture, left, top, width, height);
  const { data } = context.getImageData(0, 0, SIDE, SIDE);
  const area = SIDE * SIDE;
  const tensor = new Float32Array(3 * area);
  for (let pixel = 0; pixel < area; pixel++)
    for (let channel = 0; channel < 3; channel++) tensor[channel * area + pixel] = data[4 * pixel + channel] / 255;
  const back = ([x1, y1, x2, y2, score]) => {
    const [x, y] = [(value) => (value - left) / scale, (value) => (value - top) / scale];
    return [x(x1), y(y1), x(x2), y(y2), score];
  };
  return { tensor, back };
}

/** `rows` is [4 + 1 + 51, count], corners first. Returns x1, y1, x2, y2, score, the best first. */
export function suppressed(rows, count) {
  const candidates = [];
  for (let index = 0; index < count; index++) {
    const score = rows[4 * count + index];
    if (score > CONFIDENCE) candidates.push([0, 1, 2, 3].map((row) => rows[row * count + index]).concat(score));
  }
  candidates.sort((a, b) => b[4] - a[4]);
  const kept = [];
  for (const candidate of candidates) if (kept.every((other) => overlap(other, candidate) <= IOU)) kept.push(candidate);
  return kept;
}

function overlap(a, b) {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  if (width <= 0 || height <= 0) return 0;
  const area = (box) => (box[2] - box[0]) * (box[3] - box[1]);
  return (width * height) / (area(a) + area(b) - width * height);
}
