// A loaded model, as the page sees it.

import { transfer } from "comlink";
import type {
  Backend,
  ModelInfo,
  Result,
  RunOptions,
  RunSource,
  TensorData,
  Tensors,
  Warning,
} from "./api.js";
import type { Connection, RemoteHost } from "./connection.js";
import { completeFeeds, optionFeeds } from "./contract.js";
import { WebbuildError } from "./errors.js";
import { focusFeeds } from "./focus.js";
import type { Manifest } from "./manifest.js";
import { withMode } from "./mode.js";
import { counted, picturedInput } from "./pictured.js";
import type { Picture } from "./pixels.js";
import { askedOf, ownOptions } from "./prompt.js";
import { close, parcels } from "./source.js";

/** @internal What load() knows when the worker has a model open. */
export interface Loaded {
  manifest: Manifest;
  backend: Backend;
  reason: string;
  warnings: Warning[];
  info: ModelInfo;
  connection: Connection;
}

export class Model {
  readonly manifest: Manifest;
  readonly backend: Backend;
  /** Why this backend, in one sentence. */
  readonly reason: string;
  readonly #info: ModelInfo;
  readonly #connection: Connection;
  readonly #warnings: Warning[];
  #runs = 0;

  private constructor({ manifest, backend, reason, warnings, info, connection }: Loaded) {
    this.manifest = manifest;
    this.backend = backend;
    this.reason = reason;
    this.#warnings = warnings;
    this.#info = info;
    this.#connection = connection;
  }

  /** @internal */
  static of(loaded: Loaded): Model {
    return new Model(loaded);
  }

  /** Of loading and of all runs so far, each code once. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings];
  }

  info(): ModelInfo {
    return structuredClone(this.#info);
  }

  /** Runs the model on a picture, or on an array of them where it takes a stack. Runs are answered in order; one that fails does not touch the next. */
  async run(source: RunSource, { signal, ...thresholds }: RunOptions = {}): Promise<Result> {
    optionFeeds(this.manifest.inputs, thresholds, ownOptions(this.manifest));
    askedOf(this.manifest, thresholds);
    focusFeeds(this.manifest.inputs, thresholds.focusDistances);
    withMode(this.manifest, thresholds.mode);
    const id = this.#runs++;
    const result = await this.#send(
      source,
      (host, pictures) => host.run(id, pictures, thresholds),
      signal,
    ).catch((error: unknown) => {
      if (signal?.aborted) void this.#connection.call((host) => host.cancel(id)).catch(() => {});
      throw error;
    });
    addWarnings(this.#warnings, result.warnings);
    return result;
  }

  /** Returns what run() would feed for the picture. */
  preprocess(source: RunSource): Promise<TensorData> {
    return this.#send(source, (host, pictures) => host.preprocess(pictures));
  }

  /** Runs the graph of this backend on tensors and returns all its outputs as they are. Options may be left out. */
  async runTensors(feeds: Tensors): Promise<Tensors> {
    const complete = completeFeeds(this.manifest.inputs, feeds);
    return this.#connection.call((host) => host.runTensors(complete));
  }

  /**
   * Gives back what the model holds. The last model of an engine stops its worker, and with that the GPU device.
   * Runs under way reject with code "disposed".
   */
  async dispose(): Promise<void> {
    this.#connection.end(new WebbuildError("disposed", "the model was disposed of", "call load() again"));
  }

  async #send<T>(source: RunSource, ask: Ask<T>, signal?: AbortSignal): Promise<T> {
    const sources = counted(picturedInput(this.manifest.inputs), source);
    this.#connection.check(signal);
    const { pictures, moved } = await parcels(sources);
    try {
      return await this.#connection.call((host) => ask(host, transfer(pictures, moved)), signal);
    } finally {
      // Those that moved are empty shells by now; those that did not must not be left to the garbage collector.
      close(moved);
    }
  }
}

type Ask<T> = (host: RemoteHost, pictures: Picture[]) => Promise<T>;

function addWarnings(known: Warning[], more: readonly Warning[]): void {
  for (const warning of more) if (!known.some(({ code }) => code === warning.code)) known.push(warning);
}
