// Compute pipelines that are compiled together as soon as there is a device. The engine asks for one, waits for it, and
// asks for the next; those that it asked for in an earlier visit are ready by then, or under way.

/** What makes a pipeline: its shader, and the layouts of its bind groups. */
export interface PipelineSource {
  code: string;
  entryPoint: string;
  groups: GPUBindGroupLayoutEntry[][];
}

type Descriptor = GPUComputePipelineDescriptor;

/** Keeps track of the pipelines of all devices in this worker. */
export class PreparedPipelines {
  readonly #devices = new Set<PreparedDevice>();
  #sources: readonly PipelineSource[] = [];
  #asked = new Map<string, PipelineSource>();

  /** Compiles on the device, from now on, what is prepared; and takes note of what is asked of it. */
  watch(device: GPUDevice): void {
    const prepared = new PreparedDevice(device, (key, source) => this.#asked.set(key, source));
    this.#devices.add(prepared);
    void device.lost.then(() => this.#devices.delete(prepared));
    prepared.compile(this.#sources);
  }

  /** Compiles on the device that there is, or on the one to come. What was asked for before is forgotten. */
  prepare(sources: readonly PipelineSource[]): void {
    this.#sources = sources;
    this.#asked = new Map();
    for (const device of this.#devices) device.compile(sources);
  }

  /** Returns what was asked for since `prepare`. */
  get asked(): PipelineSource[] {
    return [...this.#asked.values()];
  }
}

/** A device whose calls are answered by what was compiled before, where that is the same. */
class PreparedDevice {
  readonly #device: GPUDevice;
  readonly #ready = new Map<string, Promise<GPUComputePipeline>>();
  readonly #compile: GPUDevice["createComputePipelineAsync"];

  constructor(device: GPUDevice, asked: (key: string, source: PipelineSource) => void) {
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
      asked(key, source);
      const ready = this.#ready.get(key);
      this.#ready.delete(key);
      return (await ready?.catch(() => null)) ?? this.#compile(descriptor);
    };
  }

  /** Begins to compile. What is refused is left to the engine: an adapter may lack what a shader needs. */
  compile(sources: readonly PipelineSource[]): void {
    const device = this.#device;
    device.pushErrorScope("validation");
    for (const source of sources) {
      const { code, entryPoint, groups } = source;
      const layout = device.createPipelineLayout({
        bindGroupLayouts: groups.map((entries) => device.createBindGroupLayout({ entries })),
      });
      const compute = { module: device.createShaderModule({ code }), entryPoint };
      const compiled = this.#compile({ layout, compute });
      compiled.catch(() => {});
      this.#ready.set(keyOf(source), compiled);
    }
    void device.popErrorScope().catch(() => {});
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

function keyOf({ code, entryPoint, groups }: PipelineSource): string {
  return JSON.stringify([groups, entryPoint, code]);
}
