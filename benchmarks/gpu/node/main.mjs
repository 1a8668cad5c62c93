// Makes of Node what `measure.js` takes for a browser's worker, on Dawn's WebGPU; a job on stdin, one line of JSON out.

import { readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const HERE = new URL("./", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, HERE));
const { create, globals } = createRequire(import.meta.url)(path("dawn.node"));
/** Chromium's Dawn switches shader-f16 off on NVIDIA's Vulkan driver; here it is on, so that half precision is measured. */
const FLAGS = ["enable-dawn-features=vulkan_enable_f16_on_nvidia"];
const job = JSON.parse(readFileSync(0, "utf-8"));

/** Dawn takes no view of the memory of WebAssembly, which may be shared or grow. */
function copyBeforeWriting({ GPUQueue }) {
  const { writeBuffer } = GPUQueue.prototype;
  GPUQueue.prototype.writeBuffer = function write(buffer, offset, data, start = 0, size = undefined) {
    const unit = data.BYTES_PER_ELEMENT ?? 1;
    const length = (size ?? data.byteLength / unit - start) * unit;
    const bytes = new Uint8Array(data.buffer ?? data, (data.byteOffset ?? 0) + start * unit, length);
    return writeBuffer.call(this, buffer, offset, bytes.slice().buffer);
  };
}

/** Without one answer of the GPU before the engine starts, Dawn for Node never answers the engine. */
async function settle(adapter) {
  const device = await adapter.requestDevice();
  const buffer = device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  await buffer.mapAsync(GPUMapMode.READ);
  device.destroy();
}

async function startEngine() {
  const ort = await import(new URL("engine/ort.webgpu.min.mjs", HERE));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = (await read("engine/ort-wasm-simd-threaded.asyncify.wasm")).buffer;
  ort.env.wasm.wasmPaths = { mjs: new URL("engine/ort-wasm-simd-threaded.asyncify.mjs", HERE).href };
  ort.env.webgpu.powerPreference = "high-performance";
  return ort;
}

async function read(name) {
  const bytes = await readFile(path(name));
  return new Uint8Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

class ImageData {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
}

const alive = setInterval(() => {}, 10); // promises of Dawn do not keep Node from ending
try {
  Object.assign(globalThis, globals, { ImageData });
  copyBeforeWriting(globals);
  const gpu = create(FLAGS);
  Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "Node" }, configurable: true });
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("no WebGPU adapter: Dawn found no Vulkan driver");
  const { vendor, architecture, device, description } = adapter.info;
  const answer = {
    adapter: { vendor, architecture, device, description },
    features: [...adapter.features].sort(),
  };
  tell({ adapter: answer });
  await settle(adapter);
  const { measure } = await import("./measure.js");
  if (job.kind !== "adapter") tell({ measured: await measure(job, startEngine, read) });
} catch (error) {
  tell({ error: String(error?.message ?? error) });
}
clearInterval(alive);
process.kill(process.pid, "SIGKILL"); // process.exit() waits for ever where Dawn ends after lavapipe's threads

function tell(answer) {
  writeSync(1, `@${JSON.stringify(answer)}\n`);
}
