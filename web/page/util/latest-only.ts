// Runs one piece of work at a time; calls made meanwhile become a single further run.

export function latestOnly(work: () => Promise<void>): () => Promise<void> {
  let wanted = false;
  let running: Promise<void> | null = null;

  async function drain(): Promise<void> {
    while (wanted) {
      wanted = false;
      await work();
    }
  }

  return () => {
    wanted = true;
    running ??= drain().finally(() => {
      running = null;
    });
    return running;
  };
}
