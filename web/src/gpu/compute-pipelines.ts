// The entry points of a shader module as compute pipelines on the engine's device, with bindings by name.

import type { Bound, ComputeCommands } from "./compute-commands.js";
import { withErrorScopes } from "./error-scopes.js";

/** The binding number of each name. */
type BindingNumbers = Readonly<Record<string, number>>;

export class ComputePipelines<EntryPoint extends string, Bindings extends BindingNumbers> {
  readonly device: GPUDevice;
  readonly #bindings: Bindings;
  readonly #pipelines: Readonly<Record<EntryPoint, GPUComputePipeline>>;

  private constructor(
    device: GPUDevice,
    bindings: Bindings,
    pipelines: Readonly<Record<EntryPoint, GPUComputePipeline>>,
  ) {
    this.device = device;
    this.#bindings = bindings;
    this.#pipelines = pipelines;
  }

  /** Compiles the entry points. Rejects if the device refuses one. */
  static async open<EntryPoint extends string, Bindings extends BindingNumbers>(
    device: GPUDevice,
    code: string,
    bindings: Bindings,
    entryPoints: readonly EntryPoint[],
  ): Promise<ComputePipelines<EntryPoint, Bindings>> {
    return withErrorScopes(device, () => {
      const module = device.createShaderModule({ code });
      const pipelines = entryPoints.map((entryPoint) => [
        entryPoint,
        device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } }),
      ]);
      return new ComputePipelines(device, bindings, Object.fromEntries(pipelines));
    });
  }

  /** Adds a dispatch of an entry point to the commands. `bound` has exactly the resources that it uses. */
  dispatch(
    commands: ComputeCommands,
    entryPoint: EntryPoint,
    bound: Partial<Record<keyof Bindings, Bound>>,
    groups: readonly [number, number, number],
  ): void {
    const numbered = Object.entries(bound).map(([name, resource]) => [this.#bindings[name], resource]);
    commands.dispatch(this.#pipelines[entryPoint], Object.fromEntries(numbered), groups);
  }
}
