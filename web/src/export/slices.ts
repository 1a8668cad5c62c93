// Runs long loops in slices, so that the page stays responsive.

/**
 * The target milliseconds of a slice. After a longer one the next is half as long, after less than half twice
 * as long.
 */
const LONGEST_MS = 16;

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * Calls `work` for slices of 0..count, one after another; the page can do other work between them. The first
 * slice is a sixteenth of `most`, since new code is slow; slices grow to `most` while they are fast. Returns
 * false if `stopped` returned true.
 */
export async function inSlices(
  count: number,
  most: number,
  work: (from: number, end: number) => void,
  stopped: () => boolean = () => false,
): Promise<boolean> {
  const least = Math.ceil(most / 16);
  let slice = least;
  for (let from = 0, end = 0; from < count; from = end) {
    if (from > 0) await pause();
    if (stopped()) return false;
    end = Math.min(from + slice, count);
    const begun = performance.now();
    work(from, end);
    const ms = performance.now() - begun;
    if (ms > LONGEST_MS) slice = Math.max(least, Math.ceil(slice / 2));
    else if (ms < LONGEST_MS / 2) slice = Math.min(slice * 2, most);
  }
  return true;
}
