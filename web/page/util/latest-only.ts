// Runs one task at a time; all calls during a run cause a single further run.

export function latestOnly(work: () => Promise<void>): () => Promise<void> {
  let wanted = false;
  let running: Promise<void> | null = null;

  async function drain(): Promise<void> {
    try {
      while (wanted) {
        wanted = false;
        await work();
      }
    } finally {
      // Reset synchronously: otherwise a call right after the work ends would be lost.
      running = null;
    }
  }

  return () => {
    wanted = true;
    running ??= drain();
    return running;
  };
}
