// Runs of a graph as the runtime does them: inputs in memory, answers read back and compared with those recorded.

import type { Tensors } from "../../../web/src/api/types.js";
import type { OrtWeb } from "../../../web/src/engine/engine.js";
import { adapterFeatures } from "../../../web/src/gpu/gpu-device.js";
import { goldenDifference, hasSignal } from "../../../web/src/self-test/golden-compare.js";
import { Session } from "../../../web/src/session/session.js";
import { suppress } from "../../../web/src/suppression/suppress.js";
import { limitsOf, partNames, splitRows, suppressedNames } from "../../../web/src/suppression/suppressor.js";
import { readTensors as inMemory } from "../../../web/src/tensors/gpu-tensor.js";
import { type Job, type Measured, type ModelCase, type ReadFile, readTensors } from "./job.js";
import { kernelsOf } from "./kernels.js";
import { fillTensors } from "./random-weights.js";
import { repeat, timed } from "./timing.js";

type ModelJob = Extract<Job, { kind: "model" }>;

export async function measureModel(job: ModelJob, engine: OrtWeb, read: ReadFile): Promise<Measured> {
  const { graph, task, confidence, ...files } = job.case;
  if (graph.precision !== "fp32" && !(await adapterFeatures()).has("shader-f16"))
    throw new Error("this adapter has no shader-f16");
  const [model, feeds, expected] = await Promise.all([
    read(files.model),
    readTensors(files.feeds, read),
    readTensors(files.expected, read),
  ]);
  if (!hasSignal(task, expected)) throw new Error("the recorded answers are empty: nothing can be compared");
  const weights = await readWeights(files.weights, read);
  const known = job.suppression === "cpu" ? withoutSuppression(job.case) : graph;
  const captured = job.capture ? files.inputs : null;
  // Outputs are read by JavaScript: where the engine reads them, Dawn for Node does not always answer it.
  const open = (inputs: typeof captured): Promise<Session> =>
    Session.create(engine, known, { model, weights }, false, outputNames(job), inputs);
  const [session, opened] = await timed(() => open(captured));
  const run = (): Promise<Tensors> => answer(job, opened, feeds);
  const [first, got] = await timed(run);
  // Before the runs that are timed, and after them: a captured graph is replayed by these, also with other inputs.
  const difference = (tensors: Tensors): string | null =>
    goldenDifference(task, expected, tensors, graph.precision, confidence);
  const kernels = await kernelsOf(run);
  const times = await repeat(job, run);
  const wrong = difference(got) ?? difference(await run());
  const stale = async (): Promise<string | null> => {
    const others = moved(feeds);
    if (!job.capture || difference(await answer(job, opened, others)) !== null) return null;
    // With random weights, different inputs may give the same outputs, also in a session without graph capture.
    if (difference(await answer(job, await open(null), others)) === null) return null;
    return "a replay has the answer of other inputs";
  };
  return { session, first, times, kernels, difference: wrong ?? (await stale()) ?? difference(await run()) };
}

/** Other inputs, whose answers are others: pictures are moved by a third of a line. */
function moved(feeds: Tensors): Tensors {
  const entries = Object.entries(feeds).map(([name, tensor]): [string, Tensors[string]] => {
    if (tensor.dims.length < 3 || tensor.type !== "float32") return [name, tensor];
    const by = Math.ceil((tensor.dims.at(-1) ?? 1) / 3);
    const data = Float32Array.from(tensor.data, (_, at) => Number(tensor.data.at(at - by)));
    return [name, { ...tensor, data }];
  });
  return Object.fromEntries(entries);
}

async function readWeights(
  files: ModelCase["weights"],
  read: ReadFile,
): Promise<{ path: string; data: Uint8Array<ArrayBuffer> }[]> {
  return Promise.all(
    files.map(async ({ path, file, filled }) => {
      const data = await read(file);
      fillTensors(data, filled);
      return { path, data };
    }),
  );
}

function withoutSuppression({ graph }: ModelCase): ModelCase["graph"] {
  const { suppression: _suppression, ...others } = graph;
  return others;
}

/** Those of the graph itself, which ends before its suppression where the runtime does that. */
function outputNames({ case: { graph, expected } }: ModelJob): string[] {
  const names = expected.map(({ name }) => name);
  const spec = graph.suppression;
  if (spec === undefined) return names;
  const made = suppressedNames(spec);
  return [...names.filter((name) => !made.includes(name)), ...partNames(spec)];
}

async function answer(job: ModelJob, session: Session, feeds: Tensors): Promise<Tensors> {
  const spec = job.case.graph.suppression;
  const onCpu = job.suppression === "cpu" && spec !== undefined;
  const names = onCpu ? outputNames(job) : job.case.expected.map(({ name }) => name);
  const raw = await inMemory(await session.run(feeds, names, outputNames(job)));
  if (!onCpu) return raw;
  const { boxes, scores, rows } = spec;
  const floats = (name: string): Float32Array => raw[name]?.data as Float32Array;
  const limits = limitsOf(spec, raw[rows]?.dims ?? [], feeds);
  const kept = suppress({ boxes: floats(boxes), scores: floats(scores), rows: floats(rows) }, limits);
  return { ...raw, ...splitRows(spec, kept, limits.columns) };
}
