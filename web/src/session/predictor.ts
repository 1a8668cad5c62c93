// Runs the model's graph and, where its detection head could not be exact, the graph it names instead.

import type { Backend, Tensors } from "../api/types.js";
import type { DeviceErrors } from "../gpu/device-errors.js";
import type { HeadStatus } from "../manifest/manifest.js";
import { type AnyTensors, isOnGpu, readTensors } from "../tensors/gpu-tensor.js";
import type { Session } from "./session.js";

export interface Prediction {
  outputs: AnyTensors;
  backend: Backend;
  fallback: { target: Backend; reason: string } | null;
}

export class Predictor {
  readonly #primary: Session;
  readonly #gpu: DeviceErrors | null;
  readonly #createFallback: (target: Backend) => Promise<Session>;
  #fallback: Session | null = null;

  /** `createFallback` makes the session of a graph that stands in; it is asked when one is first needed. */
  constructor(
    primary: Session,
    gpu: DeviceErrors | null,
    createFallback: (target: Backend) => Promise<Session>,
  ) {
    this.#primary = primary;
    this.#gpu = gpu;
    this.#createFallback = createFallback;
  }

  /** Returns every output of the first graph, its headStatus among them. Never repeats. */
  async runRaw(feeds: AnyTensors): Promise<Tensors> {
    const names = this.#primary.graph.outputs.map(({ name }) => name);
    return readTensors(await this.#runPrimary(feeds, names));
  }

  /**
   * Returns the outputs named, from the first graph or from the one that stands in for it. Those of the first that are
   * `staysOnGpu` stay on the GPU, if the session left them there.
   */
  async predict(
    feeds: AnyTensors,
    names: readonly string[],
    staysOnGpu: readonly string[] = [],
  ): Promise<Prediction> {
    const { headStatus, target } = this.#primary.graph;
    if (headStatus === null)
      return { outputs: await this.#runPrimary(feeds, names, staysOnGpu), backend: target, fallback: null };
    const { [headStatus.output]: report, ...outputs } = await this.#runPrimary(
      feeds,
      [...names, headStatus.output],
      staysOnGpu,
    );
    const reason = fallbackReason(headStatus, report);
    if (reason === null) return { outputs, backend: target, fallback: null };
    for (const output of Object.values(outputs)) if (isOnGpu(output)) output.release();
    return this.#runFallback(headStatus.fallback, reason, feeds, names);
  }

  /** Frees what the sessions hold. Nothing may run any more. */
  async release(): Promise<void> {
    await this.#primary.release();
    await this.#fallback?.release();
  }

  async #runFallback(
    target: Backend,
    reason: string,
    feeds: AnyTensors,
    names: readonly string[],
  ): Promise<Prediction> {
    this.#fallback ??= await this.#createFallback(target);
    return {
      outputs: await this.#fallback.run(await readTensors(feeds), names),
      backend: target,
      fallback: { target, reason },
    };
  }

  async #runPrimary(
    feeds: AnyTensors,
    names: readonly string[],
    staysOnGpu: readonly string[] = [],
  ): Promise<AnyTensors> {
    if (this.#gpu === null) return this.#primary.run(feeds, names);
    const outputs = await this.#gpu.guard(() => this.#primary.run(feeds, names, staysOnGpu));
    const error = this.#gpu.take();
    if (error !== null) throw error;
    return outputs;
  }
}

/** Returns why the detection head could not be exact, null where it was. Written so that NaN is inexact. */
function fallbackReason(
  { capacity, rounds }: HeadStatus,
  report: AnyTensors[string] | undefined,
): string | null {
  const read = report === undefined || isOnGpu(report) ? [] : report.data;
  const [converged, candidates] = Array.from(read, Number);
  if (candidates === undefined || !(candidates <= capacity)) {
    return `${candidates} candidates scored above the confidence threshold, the graph holds ${capacity}`;
  }
  return converged === 1 ? null : `suppression was not finished after ${rounds} rounds`;
}
