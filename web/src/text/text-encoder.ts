// The text encoder of a bundle, on the page. The first call with text loads it.

import { WebbuildError } from "../api/errors.js";
import { openStages } from "../api/open-stages.js";
import type { LoadOptions, Progress, TextOptions, TextVector } from "../api/types.js";
import { TEXT_ENCODER } from "../choice/reasons.js";
import type { Manifest, TextInput } from "../manifest/manifest.js";
import { textEncoderManifest } from "../manifest/stages.js";
import type { ModelStage } from "../runs/model-stage.js";
import { TensorRuns } from "../runs/tensor-runs.js";
import { unitVector } from "../tasks/unit-vector.js";
import { rejectOnAbort } from "../worker/reject-on-abort.js";
import { meanVector } from "./label-scores.js";
import { textFeeds } from "./text-feeds.js";
import { TextTokenizer } from "./text-tokenizer.js";
import { inTemplates } from "./texts.js";
import { VectorCache } from "./vector-cache.js";

type LoadObserver = Pick<LoadOptions, "signal" | "onProgress">;

/** A load under way or done, and the calls that wait for it. */
interface Loading {
  stage: Promise<ModelStage>;
  stopping: AbortController;
  listeners: Set<(progress: Progress) => void>;
  calls: number;
}

export class TextEncoder {
  /** Called with the stage when it is open. */
  onOpen: (stage: ModelStage) => void = () => {};
  readonly #manifest: Manifest;
  readonly #base: string;
  readonly #options: LoadOptions;
  readonly #spec: TextInput;
  readonly #output: string;
  readonly #size: number;
  readonly #cache = new VectorCache();
  readonly #tokenizer: TextTokenizer;
  #loading: Loading | null = null;
  #stage: ModelStage | null = null;
  #ended: WebbuildError | null = null;

  private constructor(manifest: Manifest, spec: TextInput, base: string, options: LoadOptions) {
    const { task } = manifest as { task: { output: string; size: number } };
    this.#manifest = manifest;
    this.#spec = spec;
    this.#output = task.output;
    this.#size = task.size;
    this.#base = base;
    this.#options = options;
    this.#tokenizer = new TextTokenizer(spec.tokenizer, async () => {
      const { session } = await this.open();
      return session.call(
        (host) => host.tokenizerFiles(),
        () => (host) => host.tokenizerFiles(),
      );
    });
  }

  /** Returns null for a bundle without a text encoder. */
  static of(whole: Manifest, base: string, options: LoadOptions): TextEncoder | null {
    const manifest = textEncoderManifest(whole);
    const spec = manifest === null ? undefined : (manifest.task as { textInput?: TextInput }).textInput;
    return manifest === null || spec === undefined ? null : new TextEncoder(manifest, spec, base, options);
  }

  get spec(): TextInput {
    return this.#spec;
  }

  /** The stage if it is open, else null. */
  get stage(): ModelStage | null {
    return this.#stage;
  }

  /**
   * Loads the encoder. Further calls wait for the same load. It ends when every call's signal has fired; after
   * a failure the next call tries again.
   */
  async open({ signal, onProgress }: LoadObserver = {}): Promise<ModelStage> {
    if (this.#ended !== null) throw this.#ended;
    this.#loading ??= this.#load();
    const loading = this.#loading;
    const listener = onProgress ?? (() => {});
    loading.calls++;
    loading.listeners.add(listener);
    try {
      return await rejectOnAbort(loading.stage, signal);
    } finally {
      loading.calls -= 1;
      loading.listeners.delete(listener);
      if (loading.calls === 0 && this.#stage === null) this.#stop(loading);
    }
  }

  #load(): Loading {
    const stopping = new AbortController();
    const listeners: Loading["listeners"] = new Set();
    const onProgress = (progress: Progress): void => {
      for (const listener of listeners) listener(progress);
    };
    const stage = this.#open({ signal: stopping.signal, onProgress });
    const loading = { stage, stopping, listeners, calls: 0 };
    stage.catch(() => this.#stop(loading));
    return loading;
  }

  #stop(loading: Loading): void {
    loading.stopping.abort();
    if (this.#loading === loading) this.#loading = null;
  }

  async #open(observer: LoadObserver): Promise<ModelStage> {
    const { size: _ofPictures, offline: _done, ...options } = this.#options;
    const opening = openStages(this.#manifest, this.#base, { ...options, ...observer });
    const [stage] = await opening.catch((error: unknown) => {
      throw this.#ended ?? error;
    });
    if (stage === undefined) throw new WebbuildError("no-graph", "no text encoder", "pack the model again");
    if (this.#ended !== null) {
      void stage.sessions.end(this.#ended);
      throw this.#ended;
    }
    if (!stage.backendChoice.isMade) stage.backendChoice.stay(TEXT_ENCODER);
    this.#stage = stage;
    this.onOpen(stage);
    return stage;
  }

  /** Returns the unit vector of each text, averaged over all templates. */
  async embed(words: readonly string[], { templates, signal }: TextOptions): Promise<TextVector[]> {
    const texts = words.map((each) => inTemplates(each, templates));
    const vectors = await this.#cache.vectorsOf(texts.flat(), (unknown) => this.#embedNew(unknown, signal));
    const found = texts.map((each) => each.map((text) => vectors.get(text) ?? new Float32Array()));
    return found.map((each) => (each.length === 1 ? Float32Array.from(each[0] ?? []) : meanVector(each)));
  }

  async *#embedNew(texts: readonly string[], signal: AbortSignal | undefined): AsyncGenerator<TextVector> {
    const stage = await this.open({ signal });
    const encoding = this.#tokenizer.encode(texts, signal).catch((error: unknown) => {
      throw this.#ended ?? error;
    });
    const tokens = await rejectOnAbort(encoding, signal);
    for (const [at, text] of texts.entries()) {
      const feeds = textFeeds(this.#manifest.inputs, this.#spec, text, tokens[at] ?? []);
      const outputs = await new TensorRuns(stage).run(feeds, null, signal);
      yield unitVector(Array.from(outputs[this.#output]?.data ?? [], Number).slice(0, this.#size));
    }
  }

  async end(error: WebbuildError): Promise<void> {
    this.#ended ??= error;
    this.#loading?.stopping.abort();
    this.#tokenizer.end();
    await this.#stage?.sessions.end(error);
  }
}
