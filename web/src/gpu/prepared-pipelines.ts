// Compiles the compute pipelines of an earlier visit in parallel, as soon as there is a device. The engine
// alone creates one pipeline, waits for it, and creates the next. A pipeline that it creates twice, for two
// nodes with the same shader, is compiled once.

import { keyOf, type PipelineSource, recordSource } from "./pipeline-use.js";

type Descriptor = GPUComputePipelineDescriptor;

/** The pipelines of all devices in this worker. */
export class PreparedPipelines {
  readonly #devices = new Set<PreparedDevice>();
  #sources: readonly PipelineSource[] = [];

  /** Compiles the prepared pipelines on the device, and records the sources of the pipelines that are created on it. */
  watch(device: GPUDevice): void {
    const prepared = new PreparedDevice(device);
    this.#devices.add(prepared);
    void device.lost.then(() => this.#devices.delete(prepared));
    prepared.compile(this.#sources);
  }

  /** Compiles the pipelines on the devices that exist, and on later ones. */
  prepare(sources: readonly PipelineSource[]): void {
    this.#sources = [...this.#sources, ...sources];
    for (const device of this.#devices) device.compile(sources);
  }
}

/**
 * Intercepts a device's createComputePipelineAsync(): returns a pipeline of the same source, if one was
 * compiled before.
 */
class PreparedDevice {
  readonly #device: GPUDevice;
  /** Pipelines by the key of their source. */
  readonly #ready = new Map<string, Promise<GPUComputePipeline>>();
  readonly #compile: GPUDevice["createComputePipelineAsync"];

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#compile = device.createComputePipelineAsync.bind(device);
    const codes = recordResults(device, "createShaderModule", ({ code }) => code);
    const groups = recordResults(device, "createBindGroupLayout", ({ entries }) => [...entries]);
    const layouts = recordResults(device, "createPipelineLayout", ({ bindGroupLayouts }) =>
      [...bindGroupLayouts].map((each) => each && groups.get(each)),
    );
    device.createComputePipelineAsync = async (descriptor) => {
      const source = pipelineSource(descriptor, codes, layouts);
      if (source === null) return this.#compile(descriptor);
      const key = keyOf(source);
      const ready = await this.#ready.get(key)?.catch(() => null);
      const pipeline = ready ?? (await this.#keep(key, this.#compile(descriptor)));
      recordSource(pipeline, source);
      return pipeline;
    };
  }

  /**
   * Starts compiling the pipelines that the device does not have yet. Failures are ignored, and the engine compiles its own:
   * the adapter may lack a feature, or the stored source may be broken. Never throws.
   */
  compile(sources: readonly PipelineSource[]): void {
    const device = this.#device;
    device.pushErrorScope("validation");
    for (const source of sources) {
      try {
        this.#compileSource(source);
      } catch {
        // A stored layout that is not valid throws here.
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

/** Records what each result of a device's method was created from. */
function recordResults<K extends "createShaderModule" | "createBindGroupLayout" | "createPipelineLayout", T>(
  device: GPUDevice,
  method: K,
  sourceOf: (descriptor: Parameters<GPUDevice[K]>[0]) => T,
): WeakMap<object, T> {
  const recorded = new WeakMap<object, T>();
  const original = device[method].bind(device) as (descriptor: Parameters<GPUDevice[K]>[0]) => object;
  const recording = (descriptor: Parameters<GPUDevice[K]>[0]): object => {
    const result = original(descriptor);
    recorded.set(result, sourceOf(descriptor));
    return result;
  };
  Object.assign(device, { [method]: recording });
  return recorded;
}

/** Returns the source of a pipeline, null if it has more than a source can hold, such as constants. */
function pipelineSource(
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
