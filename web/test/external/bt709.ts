// Converts I420 frames in float64: BT.709, limited range, chroma interpolated between the centres of its samples.

/** Returns RGB from 0 to 1, one plane after another. Width and height are even. */
export function fromI420(bytes: Uint8Array, width: number, height: number): Float64Array {
  const area = width * height;
  const rgb = new Float64Array(area * 3);
  const blues = bytes.subarray(area, area + area / 4);
  const reds = bytes.subarray(area + area / 4);
  for (let at = 0; at < area; at++) {
    const luma = (value(bytes, at) - 16) / 219;
    const blue = chroma(blues, at % width, Math.floor(at / width), width / 2, height / 2);
    const red = chroma(reds, at % width, Math.floor(at / width), width / 2, height / 2);
    const mixed = [luma + 1.5748 * red, luma - 0.18732 * blue - 0.46812 * red, luma + 1.8556 * blue];
    for (const [channel, level] of mixed.entries()) rgb[channel * area + at] = clamp(level, 0, 1);
  }
  return rgb;
}

/** Interpolates bilinearly at a pixel's centre; the plane has half the rows and columns. */
function chroma(plane: Uint8Array, x: number, y: number, columns: number, rows: number): number {
  const [left, top] = [Math.floor((x - 0.5) / 2), Math.floor((y - 0.5) / 2)];
  const [across, down] = [(x - 0.5) / 2 - left, (y - 0.5) / 2 - top];
  const at = (column: number, row: number): number =>
    value(plane, clamp(row, 0, rows - 1) * columns + clamp(column, 0, columns - 1));
  const upper = (1 - across) * at(left, top) + across * at(left + 1, top);
  const lower = (1 - across) * at(left, top + 1) + across * at(left + 1, top + 1);
  return ((1 - down) * upper + down * lower - 128) / 224;
}

function clamp(number: number, low: number, high: number): number {
  return Math.min(Math.max(number, low), high);
}

function value(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? Number.NaN;
}
