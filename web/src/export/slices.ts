// Long loops in slices, so that the page never stalls.

/** Milliseconds that a slice should take: the next one is half as long after more, twice as long after less than half. */
const LONGEST_MS = 16;

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * Calls `work` for one slice of 0..count after the other. Between two of them the page may do something else. The first is
 * a sixteenth of `most`, since code that has just begun is slow; they grow to `most` while they are fast. False: `stopped`
 * said so meanwhile.
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
