// Lets `worker.js`, which runs models on a browser's GPU, run them in Node on Dawn's WebGPU. Driven by Python:
// one line of JSON in, one line out. Tensors are files.

import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function asked() {
  const { value, done } = await lines.next();
  return done ? null : JSON.parse(value);
}

/** The engine and Dawn print lines too, WGSL among them: ours begin with a mark. */
function tell(answer) {
  process.stdout.write(`\n@webbuild ${JSON.stringify(answer)}\n`);
}

/** Dawn takes no view of shared memory, which the engine's WebAssembly has. */
function copyBeforeWriting({ GPUQueue }) {
  const { writeBuffer } = GPUQueue.prototype;
  GPUQueue.prototype.writeBuffer = function write(buffer, offset, data, start = 0, size = undefined) {
    const unit = data.BYTES_PER_ELEMENT ?? 1;
    const length = (size ?? data.byteLength / unit - start) * unit;
    const bytes = new Uint8Array(data.buffer ?? data, (data.byteOffset ?? 0) + start * unit, length);
    return writeBuffer.call(this, buffer, offset, bytes.slice().buffer);
  };
}

/** Without one answer of the GPU before the engine starts, Dawn for Node 0.6 never answers the engine. */
async function settle(adapter) {
  const device = await adapter.requestDevice();
  const buffer = device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  await buffer.mapAsync(GPUMapMode.READ);
  device.destroy();
}

/** Makes of this process what a browser's worker is. Returns what the adapter is. */
async function become({ webgpu }) {
  const { create, globals } = await import(pathToFileURL(webgpu).href);
  Object.assign(globalThis, globals);
  copyBeforeWriting(globals);
  const gpu = create([]);
  Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "Node" }, configurable: true });
  globalThis.fetch = async (path) => new Response(readFileSync(path));
  globalThis.onmessage = null;
  const adapter = await gpu.requestAdapter();
  if (!adapter) return { adapter: null, halves: false };
  const halves = adapter.features.has("shader-f16");
  const { vendor, architecture, device, description } = adapter.info;
  await settle(adapter);
  return { adapter: { vendor, architecture, device, description }, halves };
}

/** What the worker answers to a message. */
function answered(data) {
  return new Promise((resolve) => {
    globalThis.postMessage = resolve;
    globalThis.onmessage({ data });
  });
}

function stored({ data, ...output }, path) {
  writeFileSync(path, data);
  return { ...output, bytes: data.byteLength };
}

tell(await become(await asked()));
await import("./worker.js");
for (let request = await asked(); request; request = await asked()) {
  const answer = await answered(request);
  const outputs = (answer.outputs ?? []).map((output, index) => stored(output, `${request.outputs}${index}`));
  tell({ ...answer, outputs });
}
process.exit(0);
