// Runs one piece of work at a time; calls made meanwhile become a single further run.

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
      // At once: a call between the end of the work and a later moment would be lost.
      running = null;
    }
  }

  return () => {
    wanted = true;
    running ??= drain();
    return running;
  };
}
