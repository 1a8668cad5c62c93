// Runs the model's graph and, where its detection head could not be exact, the graph it names instead.

import type { Backend, Tensors } from "../api/types.js";
import type { DeviceErrors } from "../gpu/device-errors.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { HeadStatus, Manifest, StateInput } from "../manifest/manifest.js";
import { type AnyTensors, copyTensors, isOnGpu, readTensors, releaseTensors } from "../tensors/gpu-tensor.js";
import type { Session } from "./session.js";
import { splitStates } from "./split-states.js";

export interface Prediction {
  outputs: AnyTensors;
  /** The states after the run, by the names of their inputs. On a GPU they stay there: release them. */
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

  /** `createFallback` makes the session of a graph that stands in; it is asked when one is first needed. */
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

  /** Returns every output of the first graph, its headStatus among them, but for those that are state alone. Never repeats. */
  async runRaw(feeds: AnyTensors): Promise<{ outputs: Tensors; states: AnyTensors }> {
    const states = this.#stateOutputs();
    const names = this.#primary.graph.outputs
      .map(({ name }) => name)
      .filter((name) => this.#results.includes(name) || !states.includes(name));
    const run = await this.#runPrimary(feeds, names);
    try {
      return { outputs: await readTensors(run.outputs), states: run.states };
    } catch (error) {
      releaseTensors(run.states);
      throw error;
    }
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

  /** Frees what the sessions hold. Nothing may run any more. */
  async release(): Promise<void> {
    await this.#primary.release();
    await this.#fallback?.release();
  }

  /** For the sake of the head: the states of the first graph are right. */
  async #runFallback(
    target: Backend,
    reason: string,
    feeds: AnyTensors,
    names: readonly string[],
  ): Promise<Omit<Prediction, "states">> {
    this.#fallback ??= await this.#createFallback(target);
    return {
      outputs: await this.#fallback.run(await copyTensors(feeds), names),
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
    return splitStates(run, this.#states, names, staysOnGpu);
  }

  async #guarded(run: () => Promise<AnyTensors>): Promise<AnyTensors> {
    if (this.#gpu === null) return run();
    const outputs = await this.#gpu.guard(run);
    const error = await this.#gpu.reason();
    if (error === null) return outputs;
    releaseTensors(outputs);
    throw error;
  }

  #stateOutputs(): string[] {
    return this.#states.map(({ output }) => output);
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
