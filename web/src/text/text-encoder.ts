// The text encoder of a bundle, on the page. The first call with text loads it.

import { WebbuildError } from "../api/errors.js";
import { openStages } from "../api/open-stages.js";
import type { LoadOptions, TextOptions, TextVector } from "../api/types.js";
import type { Manifest, TextInput } from "../manifest/manifest.js";
import { textEncoderManifest } from "../manifest/stages.js";
import type { ModelStage } from "../runs/model-stage.js";
import { TensorRuns } from "../runs/tensor-runs.js";
import { unitVector } from "../tasks/unit-vector.js";
import { meanVector } from "./label-scores.js";
import { textFeeds } from "./text-feeds.js";
import { TextTokenizer } from "./text-tokenizer.js";
import { inTemplates } from "./texts.js";
import { VectorCache } from "./vector-cache.js";

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
  #opening: Promise<ModelStage> | null = null;
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

  /** Loads the encoder. Further calls wait for the first; after a failure the next call tries again. */
  open(options: Pick<LoadOptions, "signal" | "onProgress"> = {}): Promise<ModelStage> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    this.#opening ??= this.#open(options).catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #open({ signal, onProgress }: Pick<LoadOptions, "signal" | "onProgress">): Promise<ModelStage> {
    const { size: _ofPictures, offline: _done, ...options } = this.#options;
    const [stage] = await openStages(this.#manifest, this.#base, { ...options, signal, onProgress });
    if (stage === undefined) throw new WebbuildError("no-graph", "no text encoder", "pack the model again");
    if (this.#ended !== null) {
      void stage.sessions.end(this.#ended);
      throw this.#ended;
    }
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
    const stage = await this.open();
    const tokens = await this.#tokenizer.encode(texts, signal);
    for (const [at, text] of texts.entries()) {
      const feeds = textFeeds(this.#manifest.inputs, this.#spec, text, tokens[at] ?? []);
      const outputs = await new TensorRuns(stage).run(feeds, null, signal);
      yield unitVector(Array.from(outputs[this.#output]?.data ?? [], Number).slice(0, this.#size));
    }
  }

  async end(error: WebbuildError): Promise<void> {
    this.#ended ??= error;
    this.#tokenizer.end();
    await this.#stage?.sessions.end(error);
  }
}
