// Compute pipelines that are compiled together as soon as there is a device. The engine asks for one, waits for it, and
// asks for the next; those that it asked for in an earlier visit are ready by then, or under way. One that it asks for a
// second time, as for two nodes of the same shader, is not compiled again.

import { keyOf, noteSource, type PipelineSource } from "./pipeline-use.js";

type Descriptor = GPUComputePipelineDescriptor;

/** Keeps track of the pipelines of all devices in this worker. */
export class PreparedPipelines {
  readonly #devices = new Set<PreparedDevice>();
  #sources: readonly PipelineSource[] = [];

  /** Compiles on the device, from now on, what is prepared; and notes what its pipelines are made of. */
  watch(device: GPUDevice): void {
    const prepared = new PreparedDevice(device);
    this.#devices.add(prepared);
    void device.lost.then(() => this.#devices.delete(prepared));
    prepared.compile(this.#sources);
  }

  /** Compiles on the device that there is, or on the one to come. */
  prepare(sources: readonly PipelineSource[]): void {
    this.#sources = [...this.#sources, ...sources];
    for (const device of this.#devices) device.compile(sources);
  }
}

/** A device whose calls are answered by what was compiled before, where that is the same. */
class PreparedDevice {
  readonly #device: GPUDevice;
  /** By what they are made of. */
  readonly #ready = new Map<string, Promise<GPUComputePipeline>>();
  readonly #compile: GPUDevice["createComputePipelineAsync"];

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#compile = device.createComputePipelineAsync.bind(device);
    const codes = noteResults(device, "createShaderModule", ({ code }) => code);
    const groups = noteResults(device, "createBindGroupLayout", ({ entries }) => [...entries]);
    const layouts = noteResults(device, "createPipelineLayout", ({ bindGroupLayouts }) =>
      [...bindGroupLayouts].map((each) => each && groups.get(each)),
    );
    device.createComputePipelineAsync = async (descriptor) => {
      const source = sourceOf(descriptor, codes, layouts);
      if (source === null) return this.#compile(descriptor);
      const key = keyOf(source);
      const ready = await this.#ready.get(key)?.catch(() => null);
      const pipeline = ready ?? (await this.#keep(key, this.#compile(descriptor)));
      noteSource(pipeline, source);
      return pipeline;
    };
  }

  /**
   * Begins to compile what is not there yet. What is refused is left to the engine: an adapter may lack what a shader needs,
   * or the source, which was kept by an earlier visit, is none. Never throws.
   */
  compile(sources: readonly PipelineSource[]): void {
    const device = this.#device;
    device.pushErrorScope("validation");
    for (const source of sources) {
      try {
        this.#compileSource(source);
      } catch {
        // What is no layout at all throws here, and needs no pipeline: the engine makes its own.
      }
    }
    void device.popErrorScope().catch(() => {});
  }

  #compileSource(source: PipelineSource): void {
    const key = keyOf(source);
    if (this.#ready.has(key)) return;
    const device = this.#device;
    const { code, entryPoint, groups } = source;
    const layout = device.createPipelineLayout({
      bindGroupLayouts: groups.map((entries) => device.createBindGroupLayout({ entries })),
    });
    const compute = { module: device.createShaderModule({ code }), entryPoint };
    void this.#keep(key, this.#compile({ layout, compute }));
  }

  #keep(key: string, compiled: Promise<GPUComputePipeline>): Promise<GPUComputePipeline> {
    compiled.catch(() => {});
    this.#ready.set(key, compiled);
    return compiled;
  }
}

/** Notes what each result of a method was made from. */
function noteResults<K extends "createShaderModule" | "createBindGroupLayout" | "createPipelineLayout", T>(
  device: GPUDevice,
  method: K,
  note: (descriptor: Parameters<GPUDevice[K]>[0]) => T,
): WeakMap<object, T> {
  const noted = new WeakMap<object, T>();
  const original = device[method].bind(device) as (descriptor: Parameters<GPUDevice[K]>[0]) => object;
  const noting = (descriptor: Parameters<GPUDevice[K]>[0]): object => {
    const result = original(descriptor);
    noted.set(result, note(descriptor));
    return result;
  };
  Object.assign(device, { [method]: noting });
  return noted;
}

/** Returns what the pipeline is made of, null where that is more than a source says. */
function sourceOf(
  { layout, compute }: Descriptor,
  codes: WeakMap<object, string>,
  layouts: WeakMap<object, (GPUBindGroupLayoutEntry[] | null | undefined)[]>,
): PipelineSource | null {
  const code = codes.get(compute.module);
  const groups = typeof layout === "string" ? undefined : layouts.get(layout);
  const { entryPoint, constants } = compute;
  if (code === undefined || entryPoint === undefined || groups === undefined) return null;
  if (Object.keys(constants ?? {}).length > 0) return null;
  const whole = groups.filter((entries) => entries !== null && entries !== undefined);
  return whole.length === groups.length ? { code, entryPoint, groups: whole } : null;
}
