// What this page asked of the GPU, as counting.js counts it, and how much memory of WebAssembly it has.

import "./counting.js";

/** Counts so far: `dispatches` are the kernels. */
export function counted() {
  const channel = new BroadcastChannel("webbuild-counting");
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data !== "object") return;
      channel.close();
      resolve(data);
    };
    channel.postMessage("count");
  });
}
