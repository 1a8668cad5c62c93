// Runs the model's graph and, where its detection head could not be exact, the graph it names instead.

import type { Backend, Tensors } from "./api.js";
import type { GpuErrors } from "./gpu.js";
import { type AnyTensors, inMemory, isOnGpu } from "./gpu-tensor.js";
import type { HeadStatus } from "./manifest.js";
import type { Session } from "./session.js";

export interface Prediction {
  outputs: AnyTensors;
  backend: Backend;
  repeated: { target: Backend; why: string } | null;
}

export class Predictor {
  readonly #first: Session;
  readonly #gpu: GpuErrors | null;
  readonly #createOther: (target: Backend) => Promise<Session>;
  #other: Session | null = null;

  /** `createOther` makes the session of a graph that stands in; it is asked when one is first needed. */
  constructor(first: Session, gpu: GpuErrors | null, createOther: (target: Backend) => Promise<Session>) {
    this.#first = first;
    this.#gpu = gpu;
    this.#createOther = createOther;
  }

  /** Returns every output of the first graph, its status among them. Never repeats. */
  async raw(feeds: AnyTensors): Promise<Tensors> {
    const names = this.#first.graph.outputs.map(({ name }) => name);
    return inMemory(await this.#runFirst(feeds, names));
  }

  /**
   * Returns the outputs named, from the first graph or from the one that stands in for it. Those of the first that are
   * `kept` stay on the GPU, if the session left them there.
   */
  async predict(
    feeds: AnyTensors,
    names: readonly string[],
    kept: readonly string[] = [],
  ): Promise<Prediction> {
    const { status, target } = this.#first.graph;
    if (status === null)
      return { outputs: await this.#runFirst(feeds, names, kept), backend: target, repeated: null };
    const { [status.output]: report, ...outputs } = await this.#runFirst(
      feeds,
      [...names, status.output],
      kept,
    );
    const why = inexact(status, report);
    if (why === null) return { outputs, backend: target, repeated: null };
    for (const output of Object.values(outputs)) if (isOnGpu(output)) output.release();
    return this.#repeat(status.fallback, why, feeds, names);
  }

  /** Frees what the sessions hold. Nothing may run any more. */
  async release(): Promise<void> {
    await this.#first.release();
    await this.#other?.release();
  }

  async #repeat(
    target: Backend,
    why: string,
    feeds: AnyTensors,
    names: readonly string[],
  ): Promise<Prediction> {
    this.#other ??= await this.#createOther(target);
    return {
      outputs: await this.#other.run(await inMemory(feeds), names),
      backend: target,
      repeated: { target, why },
    };
  }

  async #runFirst(
    feeds: AnyTensors,
    names: readonly string[],
    kept: readonly string[] = [],
  ): Promise<AnyTensors> {
    if (this.#gpu === null) return this.#first.run(feeds, names);
    const outputs = await this.#gpu.during(() => this.#first.run(feeds, names, kept));
    const error = this.#gpu.take();
    if (error !== null) throw error;
    return outputs;
  }
}

/** Returns why the detection head could not be exact, null where it was. Written so that NaN is inexact. */
function inexact({ capacity, rounds }: HeadStatus, report: AnyTensors[string] | undefined): string | null {
  const read = report === undefined || isOnGpu(report) ? [] : report.data;
  const [converged, candidates] = Array.from(read, Number);
  if (candidates === undefined || !(candidates <= capacity)) {
    return `${candidates} candidates scored above the confidence threshold, the graph holds ${capacity}`;
  }
  return converged === 1 ? null : `suppression was not finished after ${rounds} rounds`;
}
