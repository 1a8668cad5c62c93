// Run-length encoding of binary masks as COCO has it: column by column, the first run is of zeros.

/** Whether the pixel at column `x` and row `y` belongs to the mask. */
export type PixelTest = (x: number, y: number) => boolean;

/** The lengths of the runs of a mask of `width` x `height` pixels: zeros, ones, zeros ... in column-major order. */
export function runLengths(width: number, height: number, inside: PixelTest): number[] {
  const runs: number[] = [];
  let current = false;
  let length = 0;
  for (let x = 0; x < width; x += 1) {
    for (let y = 0; y < height; y += 1) {
      if (inside(x, y) === current) {
        length += 1;
      } else {
        runs.push(length);
        current = !current;
        length = 1;
      }
    }
  }
  runs.push(length);
  return runs;
}

/** How many ones runs hold. */
export function countPixels(runs: readonly number[]): number {
  return runs.reduce((sum, run, index) => (index % 2 === 1 ? sum + run : sum), 0);
}

/**
 * Runs as the text that pycocotools writes: each as its difference from the run two before, from the fourth on, in
 * groups of five bits, least significant first; bit 5 says that more follow, and 48 makes it printable.
 */
export function compressRuns(runs: readonly number[]): string {
  let text = "";
  for (const [index, run] of runs.entries()) {
    let rest = index > 2 ? run - (runs[index - 2] ?? 0) : run;
    let more = true;
    while (more) {
      const bits = rest & 0x1f;
      rest >>= 5;
      more = bits & 0x10 ? rest !== -1 : rest !== 0;
      text += String.fromCharCode((more ? bits | 0x20 : bits) + 48);
    }
  }
  return text;
}
