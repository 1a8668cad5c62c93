// The stages of a shader module as pipelines on the engine's device, and what each of them is bound to by its name.

import { scoped } from "./feed/scopes.js";
import type { GpuWork } from "./gpu-work.js";

/** What a shader reads and writes: the number of each binding. */
type Numbers = Readonly<Record<string, number>>;

export class GpuStages<Stage extends string, Named extends Numbers> {
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
  static async open<Stage extends string, Named extends Numbers>(
    device: GPUDevice,
    code: string,
    numbers: Named,
    stages: readonly Stage[],
  ): Promise<GpuStages<Stage, Named>> {
    return scoped(device, () => {
      const module = device.createShaderModule({ code });
      const made = stages.map((entryPoint) => [
        entryPoint,
        device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } }),
      ]);
      return new GpuStages(device, numbers, Object.fromEntries(made));
    });
  }

  /** Begins a stage. `bound` names exactly what it reads and writes. */
  dispatch(
    work: GpuWork,
    stage: Stage,
    bound: Partial<Record<keyof Named, GPUBuffer>>,
    groups: readonly [number, number, number],
  ): void {
    const numbered = Object.entries(bound).map(([name, buffer]) => [this.#numbers[name], buffer]);
    work.dispatch(this.#pipelines[stage], Object.fromEntries(numbered), groups);
  }
}
