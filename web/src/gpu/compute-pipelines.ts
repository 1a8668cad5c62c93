// The stages of a shader module as pipelines on the engine's device, and what each of them is bound to by its name.

import type { Bound, ComputeCommands } from "./compute-commands.js";
import { withErrorScopes } from "./error-scopes.js";

/** What a shader reads and writes: the number of each binding. */
type BindingNumbers = Readonly<Record<string, number>>;

export class ComputePipelines<Stage extends string, Named extends BindingNumbers> {
  readonly device: GPUDevice;
  readonly #numbers: Named;
  readonly #pipelines: Readonly<Record<Stage, GPUComputePipeline>>;

  private constructor(
    device: GPUDevice,
    numbers: Named,
    pipelines: Readonly<Record<Stage, GPUComputePipeline>>,
  ) {
    this.device = device;
    this.#numbers = numbers;
    this.#pipelines = pipelines;
  }

  /** Compiles the entry points. Rejects where the GPU cannot have them. */
  static async open<Stage extends string, Named extends BindingNumbers>(
    device: GPUDevice,
    code: string,
    numbers: Named,
    stages: readonly Stage[],
  ): Promise<ComputePipelines<Stage, Named>> {
    return withErrorScopes(device, () => {
      const module = device.createShaderModule({ code });
      const made = stages.map((entryPoint) => [
        entryPoint,
        device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } }),
      ]);
      return new ComputePipelines(device, numbers, Object.fromEntries(made));
    });
  }

  /** Begins a stage. `bound` names exactly what it reads and writes. */
  dispatch(
    commands: ComputeCommands,
    stage: Stage,
    buffers: Partial<Record<keyof Named, Bound>>,
    groups: readonly [number, number, number],
  ): void {
    const numbered = Object.entries(buffers).map(([name, buffer]) => [this.#numbers[name], buffer]);
    commands.dispatch(this.#pipelines[stage], Object.fromEntries(numbered), groups);
  }
}
