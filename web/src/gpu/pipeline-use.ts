// Records which of the engine's compute pipelines some work uses.

/** What a pipeline is created from: its shader, and the layouts of its bind groups. */
export interface PipelineSource {
  code: string;
  entryPoint: string;
  groups: GPUBindGroupLayoutEntry[][];
}

const SOURCES = new WeakMap<GPUComputePipeline, PipelineSource>();

const setPipeline = globalThis.GPUComputePassEncoder?.prototype.setPipeline;

/** Records what a pipeline of the engine was created from. */
export function recordSource(pipeline: GPUComputePipeline, source: PipelineSource): void {
  SOURCES.set(pipeline, source);
}

/**
 * Does work, and passes it a function that returns the sources of the engine's pipelines that the work has used so far. The
 * engine creates a pipeline once for all models: only its use says that a model needs it.
 */
export async function recordPipelines<T>(work: (used: () => PipelineSource[]) => Promise<T>): Promise<T> {
  const used = new Map<string, PipelineSource>();
  onPipelineUsed((pipeline) => {
    const source = SOURCES.get(pipeline);
    if (source !== undefined) used.set(keyOf(source), source);
  });
  try {
    return await work(() => [...used.values()]);
  } finally {
    onPipelineUsed(null);
  }
}

export function keyOf({ code, entryPoint, groups }: PipelineSource): string {
  return JSON.stringify([groups, entryPoint, code]);
}

/** Calls `listener` for every setPipeline() in this worker; with null, stops. */
function onPipelineUsed(listener: ((pipeline: GPUComputePipeline) => void) | null): void {
  if (setPipeline === undefined) return;
  GPUComputePassEncoder.prototype.setPipeline =
    listener === null
      ? setPipeline
      : function (this: GPUComputePassEncoder, pipeline) {
          listener(pipeline);
          return setPipeline.call(this, pipeline);
        };
}
