// The overlap of rotated boxes on the CPU, as in the shader: of two normal distributions (ProbIoU).

const EPSILON = Math.fround(1e-7);
const round = Math.fround;

/** A normal distribution: its centre, covariance [[a, c], [c, b]] and determinant. */
export interface Gaussian {
  x: number;
  y: number;
  a: number;
  b: number;
  c: number;
  own: number;
}

/**
 * Returns the distance of two distributions below which their overlap, 1 - sqrt(1 - exp(-distance) + 1e-7),
 * is above `iou`. With it no pair needs an exponential or a root.
 */
export function distanceAt(iou: number): number {
  if (iou > 1) return Number.NEGATIVE_INFINITY;
  const least = 1 + 1e-7 - (1 - iou) ** 2;
  return least <= 0 ? Number.POSITIVE_INFINITY : -Math.log(least);
}

/** Returns the distribution of an anchor's box in `boxes` [A, 5]: centre x y, width, height, radians. */
export function gaussianOf(boxes: Float32Array, anchor: number): Gaussian {
  const [x = 0, y = 0, width = 0, height = 0, angle = 0] = boxes.subarray(anchor * 5, anchor * 5 + 5);
  const [along, down] = [round(round(width * width) / 12), round(round(height * height) / 12)];
  const [cosine, sine] = [round(Math.cos(angle)), round(Math.sin(angle))];
  const [cosine2, sine2] = [round(cosine * cosine), round(sine * sine)];
  const a = round(round(along * cosine2) + round(down * sine2));
  const b = round(round(along * sine2) + round(down * cosine2));
  const c = round(round(round(along - down) * cosine) * sine);
  return { x, y, a, b, c, own: Math.max(determinant(a, b, c), 0) };
}

/** Returns the Bhattacharyya distance (arXiv 2106.06072, as in Ultralytics). NaN if a box has no area. */
export function distanceOf(first: Gaussian, second: Gaussian): number {
  const [dx, dy] = [round(first.x - second.x), round(first.y - second.y)];
  const [a, b, c] = [round(first.a + second.a), round(first.b + second.b), round(first.c + second.c)];
  const joint = determinant(a, b, c);
  const least = round(joint + EPSILON);
  const spread = round(round(round(a * dy) * dy) + round(round(b * dx) * dx));
  const far = round(round(spread / least) * 0.25);
  const askew = round(round(round(round(-(c * dx)) * dy) / least) * 0.5);
  const both = round(round(4 * round(Math.sqrt(round(first.own * second.own)))) + EPSILON);
  const unlike = round(round(Math.log(round(round(joint / both) + EPSILON))) * 0.5);
  return Math.min(Math.max(round(round(far + askew) + unlike), EPSILON), 100);
}

function determinant(a: number, b: number, c: number): number {
  return round(round(a * b) - round(c * c));
}
