// The states of a model's streams, in the worker. On WebGPU they stay in the engine's buffers: a run reads one set, and
// writes another.

import { internalError } from "../api/errors.js";
import type { StateSnapshot, Warning } from "../api/types.js";
import { firstStates } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Size } from "../preprocess/letterbox.js";
import { type AnyTensors, copyTensors, isOnGpu, releaseTensors } from "../tensors/gpu-tensor.js";

/** A state in memory. */
export type SavedState = Pick<StateSnapshot, "tensors" | "size">;

/** The state that a run reads. */
export interface StateRequest {
  stream: number;
  /** The run that wrote the state. If null: `given`, or zeros if that is null too. */
  after: number | null;
  given: SavedState | null;
}

/** The state after a run. `size` is the size of its picture, null if it had none. */
interface RunState {
  tensors: AnyTensors;
  size: Size | null;
}

export class StreamStates {
  readonly #inputs: Manifest["inputs"];
  /** States by stream and run. The state before the last run is kept: the page may have aborted that run. */
  readonly #streams = new Map<number, Map<number, RunState>>();

  constructor(inputs: Manifest["inputs"]) {
    this.#inputs = inputs;
  }

  /** Returns the feeds of a run, and frees the states that no later run can read. */
  begin(
    { stream, after, given }: StateRequest,
    size: Size | null,
  ): { feeds: AnyTensors; warnings: Warning[] } {
    const runs = this.#streams.get(stream) ?? new Map<number, RunState>();
    this.#streams.set(stream, runs);
    for (const [run, { tensors }] of runs)
      if (run !== after) {
        runs.delete(run);
        releaseTensors(tensors);
      }
    const state = after === null ? given : this.#find(stream, after);
    const changed = state === null ? null : sizeChange(state.size, size);
    if (changed !== null) return { feeds: firstStates(this.#inputs), warnings: [stateReset(changed)] };
    return { feeds: state?.tensors ?? firstStates(this.#inputs), warnings: [] };
  }

  /** Keeps the state after a run. */
  keep(stream: number, run: number, state: RunState): void {
    const runs = this.#streams.get(stream);
    if (runs === undefined) releaseTensors(state.tensors);
    else runs.set(run, state);
  }

  /** Whether reading the state needs the GPU. */
  isOnGpu(stream: number, run: number): boolean {
    return Object.values(this.#find(stream, run).tensors).some(isOnGpu);
  }

  async read(stream: number, run: number): Promise<SavedState> {
    const { tensors, size } = this.#find(stream, run);
    return { tensors: await copyTensors(tensors), size };
  }

  drop(stream: number): void {
    for (const { tensors } of this.#streams.get(stream)?.values() ?? []) releaseTensors(tensors);
    this.#streams.delete(stream);
  }

  release(): void {
    for (const stream of [...this.#streams.keys()]) this.drop(stream);
  }

  #find(stream: number, run: number): RunState {
    const found = this.#streams.get(stream)?.get(run);
    if (found === undefined) throw internalError(`the worker has no state of run ${run}`);
    return found;
  }
}

/**
 * Returns how the picture size changed; null if it did not. A state of another size does not fit: positions
 * have moved.
 */
function sizeChange(before: Size | null, now: Size | null): string | null {
  if (before === null || now === null) return null;
  if (before.width === now.width && before.height === now.height) return null;
  return `the picture changed from ${before.width}x${before.height} to ${now.width}x${now.height}`;
}

/** Returns the warning of a run that started from zeros although its stream had a state. */
export function stateReset(why: string): Warning {
  const fix =
    "nothing to do in a live stream; to return to an earlier state, keep a snapshot() and restore() it";
  return { code: "state-reset", message: `${why}: the model's state started from zeros again`, fix };
}
