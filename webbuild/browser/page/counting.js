// Counts a worker's GPU commands, its transfers to and from the GPU, and its allocated memory.

const counts = { dispatches: 0, submits: 0, uploads: 0, uploadedBytes: 0, readbacks: 0, readBytes: 0 };
const gauges = { buffers: 0, bufferBytes: 0, peakBufferBytes: 0 };
const memories = [];

/** Calls `before` with the object and the arguments of every call to a method. */
function watch(type, method, before) {
  const original = type?.prototype[method];
  if (!original) return;
  type.prototype[method] = function (...args) {
    before(this, ...args);
    return original.apply(this, args);
  };
}

if (globalThis.GPUDevice) {
  const own = new WeakSet();
  const { createBuffer } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (description) {
    const buffer = createBuffer.call(this, description);
    own.add(buffer);
    gauges.buffers += 1;
    gauges.bufferBytes += buffer.size;
    gauges.peakBufferBytes = Math.max(gauges.peakBufferBytes, gauges.bufferBytes);
    if (description.mappedAtCreation) upload(buffer.size);
    return buffer;
  };
  watch(GPUBuffer, "destroy", (buffer) => {
    if (!own.delete(buffer)) return;
    gauges.buffers -= 1;
    gauges.bufferBytes -= buffer.size;
  });
  watch(GPUBuffer, "mapAsync", (buffer, mode, offset = 0, size = buffer.size - offset) => {
    if (mode & GPUMapMode.WRITE) return upload(size);
    counts.readbacks += 1;
    counts.readBytes += size;
  });
  watch(GPUQueue, "writeBuffer", (_queue, _buffer, _at, data, from = 0, size = undefined) => {
    const unit = data.BYTES_PER_ELEMENT ?? 1;
    upload(size === undefined ? data.byteLength - from * unit : size * unit);
  });
  for (const copy of ["copyExternalImageToTexture", "writeTexture"])
    watch(GPUQueue, copy, () => upload(0));
  watch(GPUQueue, "submit", () => (counts.submits += 1));
  for (const dispatch of ["dispatchWorkgroups", "dispatchWorkgroupsIndirect"])
    watch(GPUComputePassEncoder, dispatch, () => (counts.dispatches += 1));
}

/** A copy of a picture to a texture counts as an upload of 0 bytes: its pixels may already be on the GPU. */
function upload(bytes) {
  counts.uploads += 1;
  counts.uploadedBytes += bytes;
}

const { Memory } = WebAssembly;
WebAssembly.Memory = class extends Memory {
  constructor(...args) {
    super(...args);
    memories.push(this);
  }
};

const channel = new BroadcastChannel("webbuild-counting");
channel.onmessage = ({ data }) => {
  const wasmBytes = memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
  if (data === "count") channel.postMessage({ ...counts, ...gauges, wasmBytes });
};
