// Bringing a model up in the worker: exactly one graph, on its backend.

import type { Backend, ModelInfo, SelfTest, Tensors, Warning } from "./api.js";
import { completeFeeds } from "./contract.js";
import { Downloads } from "./download.js";
import { type Engine, engineFiles } from "./engine.js";
import { abortedError } from "./errors.js";
import { openFeeder } from "./feed/opening.js";
import type { Feeder } from "./feeding.js";
import { fetchGolden, goldenFiles } from "./golden.js";
import { isSoftware, requireAdapter } from "./gpu.js";
import { blamingCapture, planCapture } from "./graph-capture.js";
import { findGraph, graphFiles } from "./graphs.js";
import { gpuOutputs, type Judge, openJudge } from "./judge.js";
import { KeptFiles } from "./kept-files.js";
import type { EngineBuild, Graph, Manifest } from "./manifest.js";
import { PlacementLog, redirectConsole } from "./placement.js";
import { Predictor } from "./predictor.js";
import { captionOf, promptFeeds, readPrompt } from "./prompt.js";
import { knownTest, runTest } from "./self-test.js";
import { fetchGraph, Session } from "./session.js";
import type { SharedEngine } from "./shared-engine.js";
import { Stages, type Tell } from "./stages.js";
import { openWordpiece, type Wordpiece } from "./wordpiece.js";

export interface OpenRequest {
  manifest: Manifest;
  /** The manifest's absolute URL. */
  base: string;
  backend: Backend;
  graph: Graph;
  /** Why that graph, of those for the backend. */
  why: string;
  build: EngineBuild;
  trace: boolean;
  selfTest: boolean;
  cache: boolean;
  pixels: "auto" | "cpu";
  /** Why VideoFrames are copied whatever the GPU can, null where that is found out. */
  copied: string | null;
  /** Why the graph is not to be captured, null where it may be. */
  noCapture: string | null;
  addresses: Readonly<Record<string, string>>;
}

export interface OpenModel {
  predictor: Predictor;
  feeder: Feeder;
  judge: Judge;
  /** Whether a VideoFrame is better than a bitmap of it. */
  takesFrames: boolean;
  /** Null for a model that takes no prompt. */
  reader: Wordpiece | null;
  info: ModelInfo;
  warnings: Warning[];
}

/** `signal` fires when nobody wants the model any more; what it holds by then is released. */
export async function openModel(
  request: OpenRequest,
  tell: Tell | null,
  shared: SharedEngine,
  signal: AbortSignal,
): Promise<OpenModel> {
  const { manifest, backend, graph, build, trace, pixels } = request;
  const adapter = backend === "webgpu" ? await requireAdapter(graph.features) : null;
  const test = adapter && request.selfTest ? await knownTest(request, graph, adapter) : null;
  const { version } = manifest.engine;
  const software = adapter !== null && (await isSoftware());
  const tested = { test: test?.key ?? null, refused: request.noCapture };
  const capture = await planCapture({ version, build: build.build, graph, software, ...tested });
  const golden = test === null || (test.passed && !capture.untried) ? null : test.golden;
  const kept = request.cache ? await KeptFiles.open(request.base, manifest.files) : KeptFiles.none();
  const downloads = new Downloads(request, manifest.files, kept, signal);
  const files = [...graphFiles(graph), ...(golden ? goldenFiles(golden) : [])];
  const stages = new Stages(tell, downloads.size([...engineFiles(build), ...files]));
  const tried = triedFrames(request, shared);
  const log = trace ? redirectConsole(new PlacementLog()) : null;

  const engine = await stages.measure("engine", downloads.size(engineFiles(build)), (more) =>
    shared.start(build, downloads, more),
  );
  if (signal.aborted) throw abortedError(signal);
  const [bytes, known] = await stages.measure("weights", downloads.size(files), (more) =>
    Promise.all([
      fetchGraph(graph, downloads, more),
      golden && fetchGolden(manifest, golden, downloads, more),
    ]),
  );
  const reader = await openWordpiece(manifest, downloads);
  const copied = await tried;
  return shared.queue.add(async () => {
    if (signal.aborted) throw abortedError(signal);
    const gpu = backend === "webgpu" ? shared.gpu : null;
    const onGpu = gpu === null ? [] : gpuOutputs(manifest, pixels);
    const captured = capture.used ? manifest.inputs : null;
    const create = (): Promise<Session> => Session.create(engine, graph, bytes, trace, onGpu, captured);
    const session = await stages.measure("session", 1, () =>
      blamingCapture(capture, () => gpu?.during(create) ?? create()),
    );
    const placement = log?.placement() ?? null;
    const other = (target: Backend): Promise<Session> => createOther(engine, manifest, target, downloads);
    const predictor = new Predictor(session, gpu, other);
    const passed = test?.passed ? { sample: test.golden.sample, before: true } : null;
    const warmed = await stages.measure("warmup", 1, async () => {
      const gpuEngine = gpu === null ? null : engine;
      const feeder = await openFeeder({ inputs: manifest.inputs, engine: gpuEngine, pixels, copied });
      const judge = await openJudge(manifest, gpuEngine, pixels);
      const raw = (feeds: Tensors): Promise<Tensors> => predictor.raw(feeder.fill(feeds));
      try {
        const first = (): Promise<SelfTest | null> =>
          test && known
            ? runTest(test, manifest, known, raw, capture)
            : warmUp(manifest, backend, raw, reader).then(() => passed);
        return { feeder, judge, selfTest: await blamingCapture(capture, first) };
      } catch (error) {
        feeder.release();
        // Behind a trap this may trap again: the first error tells more.
        await predictor.release().catch(() => {});
        throw error;
      }
    });
    const { feeder, judge, selfTest } = warmed;
    const threads = engine.env.wasm.numThreads ?? 1;
    const info = {
      engine: { ...manifest.engine, build: build.build, threads },
      adapter,
      precision: { used: graph.precision, why: request.why },
      selfTest,
      timings: stages.timings(),
      feed: feeder.usual,
      decode: judge.route,
      graphCapture: { used: capture.used, why: capture.why },
      placement,
    };
    const { takesFrames } = feeder;
    return { predictor, feeder, judge, takesFrames, reader, info, warnings: kept.warnings };
  });
}

/** Whether VideoFrames are copied, and why: begun beside the downloads, over before the engine has a device. */
async function triedFrames(
  { manifest, backend, pixels, copied }: OpenRequest,
  shared: SharedEngine,
): Promise<string | null> {
  const pictured = manifest.inputs.some(({ kind }) => kind === "image" || kind === "stack");
  if (backend === "wasm" || pixels === "cpu" || !pictured) return "no frame comes to the GPU";
  return copied ?? shared.refusalOfFrames();
}

/** The weights come a second time, from the HTTP cache: keeping them for a rare event would double the memory. */
async function createOther(
  engine: Engine,
  manifest: Manifest,
  target: Backend,
  downloads: Downloads,
): Promise<Session> {
  const graph = findGraph(manifest, target);
  return Session.create(engine, graph, await fetchGraph(graph, downloads), false);
}

/** Compiles the shaders, and finds out here, where another backend can still be chosen, that a kernel throws. */
async function warmUp(
  { inputs, task }: Manifest,
  backend: Backend,
  raw: (feeds: Tensors) => Promise<Tensors>,
  reader: Wordpiece | null,
): Promise<void> {
  if (backend === "wasm" || inputs.some((input) => input.kind === "tensor")) return;
  const images: Tensors = Object.fromEntries(
    inputs
      .filter(({ kind }) => kind === "image" || kind === "stack")
      .map(({ name, shape }) => [name, zeros(shape)]),
  );
  const words =
    task.kind === "phrases" && reader !== null
      ? promptFeeds(inputs, task, readPrompt(captionOf(task.prompts[0]), reader, task))
      : {};
  await raw(completeFeeds(inputs, { ...images, ...words }));
}

function zeros(shape: readonly number[]): Tensors[string] {
  const length = shape.reduce((product, size) => product * size, 1);
  return { type: "float32", dims: [...shape], data: new Float32Array(length) };
}
