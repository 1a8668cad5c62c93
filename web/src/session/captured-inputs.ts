// GPU buffers for the inputs of a captured graph, allocated by onnxruntime-web itself. After each run it
// releases its handle of any other buffer, but a captured graph keeps using the handle: see
// docs/decisions/0025.

import type { InferenceSession, Tensor } from "onnxruntime-web";
import type { DType } from "../api/types.js";
import { gpuDevice, type OrtWeb } from "../engine/engine.js";
import { identityGraph } from "../engine/identity-graph.js";
import { type AnyTensors, isOnGpu } from "../tensors/gpu-tensor.js";
import { tensorBytes } from "../tensors/raw-tensor.js";

interface TensorSpec {
  name: string;
  dtype: DType;
  shape: readonly number[];
}

export class CapturedInputs {
  readonly #device: GPUDevice;
  readonly #session: InferenceSession;
  readonly #allocated: readonly Tensor[];
  /** The inputs by name, in the same buffers for every run. */
  readonly tensors: Readonly<Record<string, Tensor>>;

  private constructor(
    engine: OrtWeb,
    device: GPUDevice,
    session: InferenceSession,
    allocated: ReadonlyMap<TensorSpec, Tensor>,
  ) {
    this.#device = device;
    this.#session = session;
    this.#allocated = [...allocated.values()];
    const entries = [...allocated].map(([{ name, dtype, shape }, { gpuBuffer }]) => [
      name,
      engine.Tensor.fromGpuBuffer(gpuBuffer, {
        dataType: dtype as Tensor.GpuBufferDataTypes,
        dims: [...shape],
      }),
    ]);
    this.tensors = Object.fromEntries(entries);
  }

  /** Allocates a buffer for each input. The engine must have a WebGPU session already. */
  static async open(engine: OrtWeb, inputs: readonly TensorSpec[]): Promise<CapturedInputs> {
    // The engine allocates the outputs of this session.
    const session = await engine.InferenceSession.create(identityGraph(), {
      executionProviders: ["webgpu"],
      preferredOutputLocation: "gpu-buffer",
      logSeverityLevel: 3,
    });
    const allocated = new Map<TensorSpec, Tensor>();
    try {
      for (const spec of inputs) {
        const floats = new Float32Array(Math.ceil(tensorBytes(spec) / Float32Array.BYTES_PER_ELEMENT));
        const { y } = await session.run({ x: new engine.Tensor("float32", floats, [floats.length]) });
        if (y !== undefined) allocated.set(spec, y as Tensor);
      }
      return new CapturedInputs(engine, await gpuDevice(engine), session, allocated);
    } catch (error) {
      for (const tensor of allocated.values()) tensor.dispose();
      await session.release().catch(() => {}); // the first error is more useful
      throw error;
    }
  }

  /** Queues copies of a run's inputs into the buffers that the graph reads. Does not wait for the GPU. */
  fill(feeds: AnyTensors): void {
    const encoder = this.#device.createCommandEncoder();
    for (const [name, tensor] of Object.entries(feeds)) {
      const { gpuBuffer, size } = this.#input(name);
      if (isOnGpu(tensor)) encoder.copyBufferToBuffer(tensor.buffer, 0, gpuBuffer, 0, 4 * size);
      else this.#device.queue.writeBuffer(gpuBuffer, 0, padToWords(tensor.data));
    }
    this.#device.queue.submit([encoder.finish()]);
  }

  async release(): Promise<void> {
    for (const tensor of this.#allocated) tensor.dispose();
    await this.#session.release();
  }

  #input(name: string): Tensor {
    const tensor = this.tensors[name];
    if (tensor === undefined) throw new Error(`the graph has no input ${name}`);
    return tensor;
  }
}

/** GPUQueue.writeBuffer() needs multiples of four bytes. */
function padToWords(data: ArrayBufferView<ArrayBuffer>): ArrayBufferView<ArrayBuffer> {
  if (data.byteLength % 4 === 0) return data;
  const padded = new Uint8Array(4 * Math.ceil(data.byteLength / 4));
  padded.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return padded;
}
