// Records which of the engine's compute pipelines some work uses.

/** What makes a pipeline: its shader, and the layouts of its bind groups. */
export interface PipelineSource {
  code: string;
  entryPoint: string;
  groups: GPUBindGroupLayoutEntry[][];
}

/** What the pipelines of the engine were made of. */
const SOURCES = new WeakMap<GPUComputePipeline, PipelineSource>();

const setPipeline = globalThis.GPUComputePassEncoder?.prototype.setPipeline;

/** Notes what a pipeline of the engine was made of. */
export function noteSource(pipeline: GPUComputePipeline, source: PipelineSource): void {
  SOURCES.set(pipeline, source);
}

/**
 * Does work, which is told on demand what the engine's pipelines are made of that were used in it so far. The engine asks once
 * for a pipeline that several models use: only its use says that a model needs it.
 */
export async function notingPipelines<T>(work: (used: () => PipelineSource[]) => Promise<T>): Promise<T> {
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

/** Tells of every compute pipeline that is set in this worker; with null, of none. */
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
