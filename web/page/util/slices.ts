// Long loops in slices, so that the page never stalls.

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * Calls `work` for one slice of 0..count after the other. Between two of them the page may do something else. False: `stopped`
 * said so meanwhile.
 */
export async function inSlices(
  count: number,
  slice: number,
  work: (from: number, end: number) => void,
  stopped: () => boolean = () => false,
): Promise<boolean> {
  for (let from = 0; from < count; from += slice) {
    if (from > 0) await pause();
    if (stopped()) return false;
    work(from, Math.min(from + slice, count));
  }
  return true;
}
