// An onnxruntime-web session: one graph on one execution provider, with optional graph capture and NMS.

import type { InferenceSession, Tensor } from "onnxruntime-web";
import { errorMessage, isOutOfMemory, outOfMemory, WebbuildError } from "../api/errors.js";
import type { Route } from "../api/run-result.js";
import type { DType, TensorData } from "../api/types.js";
import type { OrtWeb } from "../engine/engine.js";
import type { Graph, Manifest } from "../manifest/manifest.js";
import { partNames, Suppressor } from "../suppression/suppressor.js";
import { type AnyTensors, everyOne, type GpuTensor, isOnGpu } from "../tensors/gpu-tensor.js";
import { CapturedInputs } from "./captured-inputs.js";
import type { GraphBytes } from "./graph-bytes.js";

export class Session {
  readonly graph: Graph;
  readonly #engine: OrtWeb;
  readonly #session: InferenceSession;
  /** The input buffers of a session with graph capture, null without graph capture. */
  readonly #inputs: CapturedInputs | null;
  /** Non-maximum suppression for a graph that does not contain it, else null. */
  readonly #suppressor: Suppressor | null;

  private constructor(
    graph: Graph,
    engine: OrtWeb,
    session: InferenceSession,
    inputs: CapturedInputs | null,
    suppressor: Suppressor | null,
  ) {
    this.graph = graph;
    this.#engine = engine;
    this.#session = session;
    this.#inputs = inputs;
    this.#suppressor = suppressor;
  }

  /** Where suppression runs for a graph that does not contain it, else null. */
  get suppression(): Route | null {
    return this.#suppressor?.route ?? null;
  }

  /**
   * `onGpu` names the outputs that stay on the GPU, if the graph runs there. `captured`, all inputs of the graph, turns on
   * graph capture: later runs replay the GPU commands of the first.
   */
  static async create(
    engine: OrtWeb,
    graph: Graph,
    bytes: GraphBytes,
    verbose: boolean,
    onGpu: readonly string[] = [],
    captured: Manifest["inputs"] | null = null,
  ): Promise<Session> {
    const { suppression } = graph;
    const gpuOutputs = suppression === undefined ? onGpu : [...onGpu, ...partNames(suppression)];
    const options: InferenceSession.SessionOptions = {
      ...sessionOptions(graph, verbose, gpuOutputs, captured !== null),
      externalData: bytes.weights,
    };
    let session: InferenceSession | null = null;
    try {
      session = await engine.InferenceSession.create(bytes.model, options);
      [bytes.model, bytes.weights] = [new Uint8Array(), []];
      const inputs = captured && (await CapturedInputs.open(engine, captured));
      const suppressor = suppression === undefined ? null : await Suppressor.open(engine, suppression);
      return new Session(graph, engine, session, inputs, suppressor);
    } catch (cause) {
      // Other models may use the worker. The first error is more useful than one of release().
      await session?.release().catch(() => {});
      throw sessionError("no-session", `no ${graph.target} session for ${graph.file}`, cause);
    }
  }

  /** Runs the graph and returns the named outputs: those in `staysOnGpu` on the GPU, the others in memory. */
  async run(
    feeds: AnyTensors,
    outputs: readonly string[],
    staysOnGpu: readonly string[] = [],
  ): Promise<AnyTensors> {
    try {
      const { suppression } = this.graph;
      if (this.#suppressor === null || suppression === undefined)
        return await this.#runGraph(feeds, outputs, staysOnGpu);
      const stay = [...staysOnGpu, ...partNames(suppression)];
      const raw = await this.#runGraph(feeds, this.#suppressor.rawOutputs(outputs), stay);
      return await this.#suppressor.apply(raw, feeds);
    } catch (cause) {
      throw sessionError("run-failed", `${this.graph.file} failed`, cause);
    }
  }

  async release(): Promise<void> {
    await this.#session.release();
    await this.#inputs?.release();
  }

  async #runGraph(
    feeds: AnyTensors,
    outputs: readonly string[],
    staysOnGpu: readonly string[],
  ): Promise<AnyTensors> {
    if (this.#inputs !== null) return this.#replay(this.#inputs, feeds, outputs, staysOnGpu);
    const ortFeeds = Object.entries(feeds).map(([name, tensor]) => [name, this.#tensor(tensor)]);
    const results = await this.#session.run(Object.fromEntries(ortFeeds), [...outputs]);
    return readAll(results, staysOnGpu);
  }

  /** Runs a captured graph. It computes all outputs, in every run into the same buffers. */
  async #replay(
    inputs: CapturedInputs,
    feeds: AnyTensors,
    outputs: readonly string[],
    staysOnGpu: readonly string[],
  ): Promise<AnyTensors> {
    inputs.fill(feeds);
    const results = Object.entries(await this.#session.run(inputs.tensors));
    for (const [name, tensor] of results) if (!outputs.includes(name)) tensor.dispose();
    return readAll(Object.fromEntries(results.filter(([name]) => outputs.includes(name))), staysOnGpu);
  }

  #tensor(tensor: AnyTensors[string]): Tensor {
    const { type, dims } = tensor;
    if (!isOnGpu(tensor)) return new this.#engine.Tensor(type, tensor.data, dims);
    return this.#engine.Tensor.fromGpuBuffer(tensor.buffer, { dataType: tensor.type, dims });
  }
}

function sessionOptions(
  graph: Graph,
  verbose: boolean,
  gpuOutputs: readonly string[],
  isCaptured: boolean,
): InferenceSession.SessionOptions {
  return {
    executionProviders: [executionProvider(graph)],
    // `webbuild pack` has reported where nodes run, so the visitor's console stays empty.
    logSeverityLevel: verbose ? 0 : 3,
    logVerbosityLevel: 0,
    preferredOutputLocation: isCaptured
      ? "gpu-buffer"
      : Object.fromEntries(gpuOutputs.map((name) => [name, "gpu-buffer"])),
    enableGraphCapture: isCaptured,
    graphOptimizationLevel: graph.optimized ? "disabled" : "all",
  };
}

/** Returns the error. A WebAssembly trap or an abort breaks the whole engine, others only this graph. */
function sessionError(code: "no-session" | "run-failed", what: string, cause: unknown): WebbuildError {
  const reason = errorMessage(cause);
  const message = `${what}: ${reason}`;
  if (isOutOfMemory(reason)) return outOfMemory(message, { cause });
  const broken = cause instanceof WebAssembly.RuntimeError || reason.startsWith("Aborted(");
  const fix = 'load with { backend: "wasm" }, or run `webbuild verify` on the bundle';
  return new WebbuildError(broken ? "engine-failed" : code, message, fix, { cause });
}

/** `cpuNodes` names the nodes whose WebGPU kernels are wrong: they run on the CPU. */
function executionProvider({ target, cpuNodes }: Graph): InferenceSession.ExecutionProviderConfig {
  if (target !== "webgpu" || cpuNodes.length === 0) return target;
  return { name: target, forceCpuNodeNames: cpuNodes };
}

async function readAll(
  results: InferenceSession.ReturnType,
  staysOnGpu: readonly string[],
): Promise<AnyTensors> {
  const read = Object.entries(results).map(async ([name, value]) => {
    const tensor = value as Tensor;
    const keep = staysOnGpu.includes(name) && tensor.location === "gpu-buffer" && tensor.type === "float32";
    return [name, keep ? gpuTensor(tensor) : await readTensor(tensor)];
  });
  try {
    return Object.fromEntries(await everyOne(read));
  } catch (error) {
    for (const value of Object.values(results)) value.dispose();
    throw error;
  }
}

function gpuTensor(tensor: Tensor): GpuTensor {
  const buffer = tensor.gpuBuffer as GPUBuffer;
  const read = async (): Promise<TensorData> => readTensor(tensor);
  // The tensor caches the array of getData(false). The caller may transfer the result, so it gets a copy.
  const copy = async (): Promise<TensorData> => {
    const data = (await tensor.getData(false)) as Float32Array<ArrayBuffer>;
    return { type: "float32", dims: [...tensor.dims], data: data.slice() };
  };
  const release = (): void => {
    try {
      tensor.dispose();
    } catch {
      // dispose() throws during a read, which never ends on a lost device: the device frees the buffer.
    }
  };
  return { type: "float32", dims: [...tensor.dims], buffer, read, copy, release };
}

async function readTensor(tensor: Tensor): Promise<TensorData> {
  const data = await tensor.getData(true);
  return { type: tensor.type as DType, dims: [...tensor.dims], data } as TensorData;
}
