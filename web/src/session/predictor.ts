// Runs the model's graph, or the fallback graph if its detection head reports that the result is not exact.

import type { Backend, Tensors } from "../api/types.js";
import type { DeviceErrors } from "../gpu/device-errors.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { HeadStatus, Manifest, StateInput } from "../manifest/manifest.js";
import { type AnyTensors, copyTensors, isOnGpu, readTensors, releaseTensors } from "../tensors/gpu-tensor.js";
import type { Session } from "./session.js";
import { splitStates } from "./split-states.js";

export interface Prediction {
  outputs: AnyTensors;
  /** The states after the run, by input name. On a GPU they stay there: release them. */
  states: AnyTensors;
  backend: Backend;
  fallback: { target: Backend; reason: string } | null;
}

interface PrimaryRun {
  outputs: AnyTensors;
  states: AnyTensors;
}

export class Predictor {
  readonly #primary: Session;
  readonly #states: readonly StateInput[];
  readonly #results: readonly string[];
  readonly #gpu: DeviceErrors | null;
  readonly #createFallback: (target: Backend) => Promise<Session>;
  #fallback: Session | null = null;

  /** `createFallback` creates the session of the fallback graph, when it is first needed. */
  constructor(
    primary: Session,
    { inputs, outputs }: Pick<Manifest, "inputs" | "outputs">,
    gpu: DeviceErrors | null,
    createFallback: (target: Backend) => Promise<Session>,
  ) {
    this.#primary = primary;
    this.#states = stateInputs(inputs);
    this.#results = outputs.map(({ name }) => name);
    this.#gpu = gpu;
    this.#createFallback = createFallback;
  }

  /** Returns all outputs of the primary graph, with headStatus, without pure states. Never falls back. */
  async runRaw(feeds: AnyTensors): Promise<{ outputs: Tensors; states: AnyTensors }> {
    const states = this.#stateOutputs();
    const names = this.#primary.graph.outputs
      .map(({ name }) => name)
      .filter((name) => this.#results.includes(name) || !states.includes(name));
    const run = await this.#runPrimary(feeds, names);
    try {
      return { outputs: await this.#reading(() => readTensors(run.outputs)), states: run.states };
    } catch (error) {
      releaseTensors(run.states);
      throw error;
    }
  }

  /**
   * Returns the named outputs, of the primary graph or its fallback. Outputs of the primary graph in
   * `staysOnGpu` stay on the GPU, if the session keeps them there.
   */
  async predict(
    feeds: AnyTensors,
    names: readonly string[],
    staysOnGpu: readonly string[] = [],
  ): Promise<Prediction> {
    const { headStatus, target } = this.#primary.graph;
    if (headStatus === null)
      return { ...(await this.#runPrimary(feeds, names, staysOnGpu)), backend: target, fallback: null };
    const run = await this.#runPrimary(feeds, [...names, headStatus.output], staysOnGpu);
    const { [headStatus.output]: report, ...outputs } = run.outputs;
    const { states } = run;
    const reason = fallbackReason(headStatus, report);
    if (reason === null) return { outputs, states, backend: target, fallback: null };
    releaseTensors(outputs);
    try {
      return { ...(await this.#runFallback(headStatus.fallback, reason, feeds, names)), states };
    } catch (error) {
      releaseTensors(states);
      throw error;
    }
  }

  /** Releases the sessions. No run may be pending. */
  async release(): Promise<void> {
    await this.#primary.release();
    await this.#fallback?.release();
  }

  /** Runs only the outputs again: the primary graph's states are correct, only its detection head is not. */
  async #runFallback(
    target: Backend,
    reason: string,
    feeds: AnyTensors,
    names: readonly string[],
  ): Promise<Omit<Prediction, "states">> {
    this.#fallback ??= await this.#createFallback(target);
    const copies = await this.#reading(() => copyTensors(feeds));
    return {
      outputs: await this.#fallback.run(copies, names),
      backend: target,
      fallback: { target, reason },
    };
  }

  async #runPrimary(
    feeds: AnyTensors,
    names: readonly string[],
    staysOnGpu: readonly string[] = [],
  ): Promise<PrimaryRun> {
    const states = this.#stateOutputs();
    const all = [...new Set([...names, ...states])];
    const run = await this.#guarded(() => this.#primary.run(feeds, all, [...staysOnGpu, ...states]));
    return this.#reading(() => splitStates(run, this.#states, names, staysOnGpu));
  }

  /** Reads tensors that may be on the GPU. */
  #reading<T>(work: () => Promise<T>): Promise<T> {
    return this.#gpu?.guard(work) ?? work();
  }

  async #guarded(run: () => Promise<AnyTensors>): Promise<AnyTensors> {
    if (this.#gpu === null) return run();
    const outputs = await this.#gpu.guard(run);
    const error = await this.#gpu.takeCause();
    if (error === null) return outputs;
    releaseTensors(outputs);
    throw error;
  }

  #stateOutputs(): string[] {
    return this.#states.map(({ output }) => output);
  }
}

/** Returns why the detection head's result is not exact (also if its report has NaN), null if it is exact. */
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
