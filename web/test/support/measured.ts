// The memory of a worker with shims/measured.js, and the bytes it has read back from the GPU.

export interface MemoryUse {
  buffers: number;
  textures: number;
  /** Of WebAssembly memory. */
  bytes: number;
}

/** Returns the worker's current memory. */
export function memoryUse(): Promise<MemoryUse> {
  return request("measure");
}

/** Returns the number of bytes read back from the GPU so far. */
export async function readBack(): Promise<number> {
  return (await request<{ read: number }>("read")).read;
}

function request<T>(what: "measure" | "read"): Promise<T> {
  const channel = new BroadcastChannel("measured");
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data !== "object") return;
      channel.close();
      resolve(data);
    };
    channel.postMessage(what);
  });
}
