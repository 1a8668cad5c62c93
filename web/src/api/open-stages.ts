// The stages of a bundle, opened side by side: the small ones are there first.

import { BackendChoice } from "../choice/backend-choice.js";
import { planChoice } from "../choice/plan-choice.js";
import { fallbackChain } from "../fallback/candidates.js";
import { type LoadRequest, loadFirstWorking } from "../fallback/fallback-chain.js";
import { ResilientSession } from "../fallback/recovery.js";
import { VariantSessions } from "../fallback/variant-sessions.js";
import type { Manifest } from "../manifest/manifest.js";
import { everyStage, joinedOutputs } from "../manifest/stages.js";
import { everyVariant, pictureSize, pictureSizes, sameSize } from "../manifest/variants.js";
import { requestedSize } from "../preprocess/fitting-size.js";
import { ModelStage } from "../runs/model-stage.js";
import { StageProgress } from "../session/stage-progress.js";
import { abortedError } from "./errors.js";
import { stageOption } from "./stage-option.js";
import type { Backend, LoadOptions, Warning } from "./types.js";

type OpenOptions = Omit<LoadOptions, "offline">;

/** Opens every stage. Where one cannot be opened, none stays open. */
export async function openStages(whole: Manifest, base: string, options: OpenOptions): Promise<ModelStage[]> {
  const manifests = everyStage(whole);
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  options.signal?.addEventListener("abort", abort);
  if (options.signal?.aborted) abort();
  const progress = new StageProgress(options.onProgress, manifests.length);
  const engineOf = manifests.length > 1 ? await firstBackend(manifests[0] ?? whole, options) : null;
  const traceKey = manifests.length > 1 ? `trace ${performance.now()} ${Math.random()}` : null;
  const opening = manifests.map((manifest, at) =>
    openStage(manifest, base, options, {
      joined: joinedOutputs(manifests, manifest.stageName),
      engineOf: at === 0 ? null : engineOf,
      traceKey,
      observer: { signal: ending.signal, onProgress: progress.listener(at) },
    }),
  );
  try {
    return await Promise.all(opening);
  } catch (error) {
    abort();
    const dropped = abortedError(options.signal);
    for (const stage of opening) void stage.then(({ sessions }) => sessions.end(dropped)).catch(() => {});
    throw options.signal?.aborted ? dropped : error;
  } finally {
    options.signal?.removeEventListener("abort", abort);
  }
}

interface StageOpening {
  joined: string[];
  engineOf: Backend | null;
  traceKey: string | null;
  observer: Pick<LoadOptions, "signal" | "onProgress">;
}

async function openStage(
  whole: Manifest,
  base: string,
  options: OpenOptions,
  { joined, engineOf, traceKey, observer }: StageOpening,
): Promise<ModelStage> {
  const { trace = false, selfTest = true, cache = true } = options;
  const { processing = "auto", addresses = {}, worker = null } = options;
  // The size is that of the pictures, which the first stage takes.
  const variants =
    engineOf === null ? variantsOfSize(everyVariant(whole), options.size) : everyVariant(whole);
  const [manifest = whole] = variants;
  const early: Warning[] = [];
  let warn = (warning: Warning): unknown => early.push(warning);
  const request: LoadRequest = {
    manifest,
    base,
    backend: stageOption(options.backend, whole.stageName),
    precision: stageOption(options.precision, whole.stageName),
    trace,
    traceKey,
    selfTest,
    cache,
    processing,
    copyFrames: null,
    noCapture: null,
    joined,
    engineOf,
    addresses,
    worker,
    warn: (warning) => void warn(warning),
  };
  const prefer = options.prefer ?? "latency";
  const planned = await planChoice(request, prefer);
  const loaded = await loadFirstWorking(request, observer, planned.chain);
  const session = new ResilientSession(request, loaded, [...doubtfulAnswers(manifest), ...loaded.warnings]);
  session.warn(early);
  warn = (warning) => session.warn([warning]);
  const { memory, reason } = planned;
  const choice = memory === null ? reason : new BackendChoice(session, request, prefer, memory);
  return new ModelStage(whole, new VariantSessions(request, session, variants), choice);
}

/** The backend that the first stage is tried on first. */
async function firstBackend(
  manifest: Manifest,
  { backend, precision }: OpenOptions,
): Promise<Backend | null> {
  const chain = await fallbackChain({
    manifest,
    backend: stageOption(backend, manifest.stageName),
    precision: stageOption(precision, manifest.stageName),
  });
  return chain.candidates[0]?.backend ?? null;
}

function variantsOfSize(variants: Manifest[], asked: LoadOptions["size"]): Manifest[] {
  const size = requestedSize(pictureSizes(variants), asked);
  return size === null ? variants : variants.filter((each) => sameSize(pictureSize(each) ?? [0, 0], size));
}

/** What speaks against the model's answers themselves, found when it was packed. */
function doubtfulAnswers({ warnings = [] }: Manifest): Warning[] {
  const fix = "pack the model with other options, or read its answers with care";
  return warnings.map((message) => ({ code: "doubtful-answers", message, fix }));
}
