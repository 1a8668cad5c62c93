// The runtime's error: a code for programs, a message and a fix for people.

import type { PackedPicture } from "../preprocess/pixels.js";

/** The codes of errors. Each has a page in the documentation. */
export type ErrorCode =
  | "aborted"
  | "invalid-manifest"
  | "capture-failed"
  | "corrupt-file"
  | "device-lost"
  | "disposed"
  | "download-failed"
  | "engine-failed"
  | "glue-failed"
  | "gpu-error"
  | "internal"
  | "missing-input"
  | "no-adapter"
  | "no-engine"
  | "no-graph"
  | "no-session"
  | "picture-too-large"
  | "out-of-memory"
  | "one-stage"
  | "run-failed"
  | "self-test-failed"
  | "tokenizer-timeout"
  | "unknown-input"
  | "unreadable-image"
  | "worker-failed"
  | "invalid-index"
  | "invalid-input"
  | "invalid-option"
  | "invalid-image"
  | "invalid-prompt"
  | "invalid-state"
  | "unsupported-schema";

/** The URL of the documentation. */
const DOCS = "https://webbuild.readthedocs.io/";

/** Every error that the runtime throws. `message` says what happened, `fix` says what to do about it. */
export class WebbuildError extends Error {
  override readonly name = "WebbuildError";
  readonly code: ErrorCode;
  readonly fix: string;
  /** @internal The pictures of a failed run, returned so that the run can be repeated elsewhere. */
  pictures: readonly PackedPicture[] = [];

  constructor(code: ErrorCode, message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.fix = fix;
  }

  /** The documentation page of the error's code: usual causes and the fix. */
  get url(): string {
    return `${DOCS}codes/${this.code}/`;
  }
}

/** A problem that did not cause an error, and its fix. */
export interface Warning {
  code: string;
  message: string;
  fix: string;
}

/** @internal Returns the message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @internal Returns a wrong value for a message. Strings are in quotes: `"0.5"`, the value of a slider, is no number. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" || value === null ? `${value}` : typeof value;
}

/** @internal Returns a WebbuildError unchanged and any other error wrapped by `wrap`. */
export function asWebbuildError(error: unknown, wrap: (message: string) => WebbuildError): WebbuildError {
  if (error instanceof WebbuildError) return error;
  const wrapped = wrap(errorMessage(error));
  wrapped.cause = error;
  return wrapped;
}

/** @internal Runs the work of a public call. Wraps any error that is not a WebbuildError as "internal". */
export async function wrapErrors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asWebbuildError(error, internalError);
  }
}

/** @internal Returns the error of a file whose size or hash differs from the manifest. */
export function corruptFile(path: string, how: string, options?: ErrorOptions): WebbuildError {
  const fix = "reload without the cache; if the error stays, deploy the whole bundle again, unchanged";
  return new WebbuildError("corrupt-file", `${path} does not match the bundle: ${how}`, fix, options);
}

/**
 * @internal Returns the error of a page that is out of memory. Loading holds the weights only once: each
 * tensor's memory is freed when the engine has it. Other models, loads at the same time and large pictures
 * fill a page.
 */
export function outOfMemory(message: string, options?: ErrorOptions): WebbuildError {
  const fix =
    "dispose of models that are not used, load one model after another, or pack it at a smaller size";
  return new WebbuildError("out-of-memory", message, fix, options);
}

/** @internal Returns whether an error message of an engine or a browser means out of memory. */
export function isOutOfMemory(message: string): boolean {
  return /bad_alloc|out of memory|allocation failed/i.test(message);
}

/** @internal Returns the error of a bug: it should never happen. */
export function internalError(message: string): WebbuildError {
  return new WebbuildError("internal", message, "this is a bug in webbuild: report it with this message");
}

/**
 * @internal Returns the error of a call that its signal aborted. If the signal's reason is an "aborted"
 * error, returns that.
 */
export function abortedError(signal?: AbortSignal): WebbuildError {
  const reason: unknown = signal?.reason;
  if (reason instanceof WebbuildError && reason.code === "aborted") return reason;
  const fix = "nothing is wrong: the caller's AbortSignal stopped it";
  return new WebbuildError("aborted", "stopped by its AbortSignal", fix, { cause: reason });
}
