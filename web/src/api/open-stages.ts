// Opens all stages of a bundle at the same time.

import { BackendChoice } from "../choice/backend-choice.js";
import { type PlannedChoice, planChoice } from "../choice/plan-choice.js";
import type { Preference } from "../choice/timed-runs.js";
import { type FindTrial, syntheticTrial } from "../choice/trial.js";
import { VisitorRuns } from "../choice/visitor-runs.js";
import { loadFirstWorking } from "../fallback/load-first-working.js";
import type { LoadRequest } from "../fallback/load-request.js";
import { ResilientSession } from "../fallback/resilient-session.js";
import { VariantSessions } from "../fallback/variant-sessions.js";
import type { Manifest } from "../manifest/manifest.js";
import { everyStage, joinedBytes, joinedOutputs } from "../manifest/stages.js";
import { everyVariant, pictureSize, pictureSizes, sameSize } from "../manifest/variants.js";
import { requestedSize } from "../preprocess/fitting-size.js";
import { ModelStage } from "../runs/model-stage.js";
import { StageProgress } from "../session/stage-progress.js";
import { abortedError } from "./errors.js";
import { stageOption } from "./stage-option.js";
import type { Backend, LoadOptions, Warning } from "./types.js";

type OpenOptions = Omit<LoadOptions, "offline">;

/** Opens every stage. If one cannot be opened, all are closed. */
export async function openStages(whole: Manifest, base: string, options: OpenOptions): Promise<ModelStage[]> {
  const manifests = everyStage(whole);
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  options.signal?.addEventListener("abort", abort);
  if (options.signal?.aborted) abort();
  const progress = new StageProgress(
    options.onProgress,
    manifests.map(({ stageName }) => stageName),
  );
  const isAlone = manifests.length === 1;
  const ownWorker = !isAlone && options.trace ? `trace ${performance.now()} ${Math.random()}` : null;
  const [first = whole, ...later] = manifests;
  const plan = (manifest: Manifest, firstStageBackend: Backend | null): Promise<StagePlan> =>
    planStage(manifest, base, options, {
      joined: joinedOutputs(manifests, manifest.stageName),
      firstStageBackend: firstStageBackend,
      ownWorker,
    });
  let opening: Promise<ModelStage>[] = [];
  try {
    const firstPlan = await plan(first, null);
    const firstStageBackend = firstPlan.chain.candidates[0]?.backend ?? null;
    const plans = [Promise.resolve(firstPlan), ...later.map((manifest) => plan(manifest, firstStageBackend))];
    opening = plans.map(async (planned, at) => {
      const observer = { signal: ending.signal, onProgress: progress.listener(at) };
      return openStage(await planned, options.prefer ?? "latency", isAlone, observer);
    });
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

/** How to open a stage: its variants, the request, and the candidates in order. */
interface StagePlan extends PlannedChoice {
  whole: Manifest;
  variants: readonly Manifest[];
  request: LoadRequest;
}

async function planStage(
  whole: Manifest,
  base: string,
  options: OpenOptions,
  place: Pick<LoadRequest, "joined" | "firstStageBackend" | "ownWorker">,
): Promise<StagePlan> {
  const { trace = false, selfTest = true, cache = true } = options;
  const { processing = "auto", addresses = {}, worker = null } = options;
  // The size is the pictures' size, so it applies to the first stage only.
  const variants =
    place.firstStageBackend === null
      ? variantsOfSize(everyVariant(whole), options.size)
      : everyVariant(whole);
  const [manifest = whole] = variants;
  const request: LoadRequest = {
    manifest,
    base,
    backend: stageOption(options.backend, whole.stageName),
    precision: stageOption(options.precision, whole.stageName),
    trace,
    selfTest,
    retest: false,
    cache,
    processing,
    copyFrames: null,
    noCapture: null,
    ...place,
    addresses,
    worker,
    warn: () => {},
    engineCode: null,
  };
  const planned = await planChoice(request, options.prefer ?? "latency", options.backend);
  return { whole, variants, request, ...planned };
}

async function openStage(
  { whole, variants, request: planned, chain, memory, reason }: StagePlan,
  prefer: Preference,
  isAlone: boolean,
  observer: Pick<LoadOptions, "signal" | "onProgress">,
): Promise<ModelStage> {
  const { manifest } = planned;
  const early: Warning[] = [];
  let warn = (warning: Warning): unknown => early.push(warning);
  const request: LoadRequest = { ...planned, warn: (warning) => void warn(warning) };
  const loaded = await loadFirstWorking(request, observer, chain);
  const session = new ResilientSession(request, loaded, [...doubtfulAnswers(manifest), ...loaded.warnings]);
  session.warn(early);
  warn = (warning) => session.warn([warning]);
  const sessions = new VariantSessions(request, session, variants);
  const visitorRuns = new VisitorRuns();
  const findTrial: FindTrial = async () =>
    isAlone ? syntheticTrial(session, manifest) : visitorRuns.trial(joinedBytes(manifest));
  const compared = memory === null ? reason : { sessions, request, prefer, memory, findTrial };
  return new ModelStage(whole, sessions, new BackendChoice(compared), visitorRuns);
}

function variantsOfSize(variants: Manifest[], option: LoadOptions["size"]): Manifest[] {
  const size = requestedSize(pictureSizes(variants), option);
  return size === null ? variants : variants.filter((each) => sameSize(pictureSize(each) ?? [0, 0], size));
}

/** Returns the warnings about the model's results that were found when it was packed. */
function doubtfulAnswers({ warnings = [] }: Manifest): Warning[] {
  const fix = "pack the model with other options, or check its results";
  return warnings.map((message) => ({ code: "doubtful-answers", message, fix }));
}
