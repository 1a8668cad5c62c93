// The page's side of counting.js: starts workers that count their GPU calls, and collects the counts.

const CHANNEL = "webbuild-counting";

/** @type {Set<Worker>} workers that were not terminated */
const running = new Set();

/** Starts a worker that counts its GPU calls. */
export function countingWorker(url) {
  const worker = new Worker(url, { type: "module" });
  running.add(worker);
  worker.terminate = () => {
    running.delete(worker);
    Worker.prototype.terminate.call(worker);
  };
  return worker;
}

/** Returns the sums of the counts of all workers; null if there are no workers. */
export async function counted() {
  if (running.size === 0) return null;
  const channel = new BroadcastChannel(CHANNEL);
  const found = [];
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data !== "object" || found.push(data) < running.size) return;
      channel.close();
      const sum = (name) => found.reduce((total, each) => total + each[name], 0);
      resolve(Object.fromEntries(Object.keys(data).map((name) => [name, sum(name)])));
    };
    channel.postMessage("count");
  });
}
