// Input buffers that onnxruntime-web allocated. Of other buffers it releases its handle after each run, and a captured
// graph goes on using that handle.

import type { InferenceSession, Tensor } from "onnxruntime-web";
import type { DType } from "../api/types.js";
import { gpuDevice, type OrtWeb } from "../engine/engine.js";
import { type AnyTensors, isOnGpu } from "../tensors/gpu-tensor.js";
import { BYTES_PER_ELEMENT } from "../tensors/raw-tensor.js";

interface TensorSpec {
  name: string;
  dtype: DType;
  shape: readonly number[];
}

/** y = Identity(x), float32 of any shape, opset 13: what comes out lies in a buffer of the engine's. */
const IDENTITY = "CAg6KwoQCgF4EgF5IghJZGVudGl0eRIBZ1oJCgF4EgQKAggBYgkKAXkSBAoCCAFCBAoAEA0=";

export class OwnedBuffers {
  readonly #device: GPUDevice;
  readonly #session: InferenceSession;
  readonly #owned: readonly Tensor[];
  /** The inputs, each in a buffer that stays. */
  readonly tensors: Readonly<Record<string, Tensor>>;

  private constructor(
    engine: OrtWeb,
    device: GPUDevice,
    session: InferenceSession,
    owned: ReadonlyMap<TensorSpec, Tensor>,
  ) {
    this.#device = device;
    this.#session = session;
    this.#owned = [...owned.values()];
    const entries = [...owned].map(([{ name, dtype, shape }, { gpuBuffer }]) => [
      name,
      engine.Tensor.fromGpuBuffer(gpuBuffer, { dataType: dtype, dims: [...shape] }),
    ]);
    this.tensors = Object.fromEntries(entries);
  }

  /** Makes a buffer for each input of a session that is there. */
  static async open(engine: OrtWeb, inputs: readonly TensorSpec[]): Promise<OwnedBuffers> {
    const bytes = Uint8Array.from(atob(IDENTITY), (letter) => letter.charCodeAt(0));
    const session = await engine.InferenceSession.create(bytes, {
      executionProviders: ["webgpu"],
      preferredOutputLocation: "gpu-buffer",
      logSeverityLevel: 3,
    });
    const owned = new Map<TensorSpec, Tensor>();
    for (const spec of inputs) {
      const size = spec.shape.reduce((product, length) => product * length, BYTES_PER_ELEMENT[spec.dtype]);
      const floats = new Float32Array(Math.ceil(size / Float32Array.BYTES_PER_ELEMENT));
      const { y } = await session.run({ x: new engine.Tensor("float32", floats, [floats.length]) });
      if (y !== undefined) owned.set(spec, y as Tensor);
    }
    return new OwnedBuffers(engine, await gpuDevice(engine), session, owned);
  }

  /** Queues copies of a run's inputs into the buffers that the graph reads; does not wait for the GPU. */
  fill(feeds: AnyTensors): void {
    const encoder = this.#device.createCommandEncoder();
    for (const [name, tensor] of Object.entries(feeds)) {
      const { gpuBuffer, size } = this.#of(name);
      if (isOnGpu(tensor)) encoder.copyBufferToBuffer(tensor.buffer, 0, gpuBuffer, 0, 4 * size);
      else this.#device.queue.writeBuffer(gpuBuffer, 0, padToWords(tensor.data));
    }
    this.#device.queue.submit([encoder.finish()]);
  }

  async release(): Promise<void> {
    for (const tensor of this.#owned) tensor.dispose();
    await this.#session.release();
  }

  #of(name: string): Tensor {
    const tensor = this.tensors[name];
    if (tensor === undefined) throw new Error(`the graph has no input ${name}`);
    return tensor;
  }
}

/** The queue writes multiples of four bytes. */
function padToWords(data: ArrayBufferView<ArrayBuffer>): ArrayBufferView<ArrayBuffer> {
  if (data.byteLength % 4 === 0) return data;
  const padded = new Uint8Array(4 * Math.ceil(data.byteLength / 4));
  padded.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return padded;
}
