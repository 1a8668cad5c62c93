// Errors of a GPU device: refused commands, no memory, its loss. Nothing else would report them.

import { WebbuildError } from "../api/errors.js";
import { whilePolling } from "./poll-devices.js";

/** Keeps the first error of the devices since it was last asked. A lost device stays an error. */
export class DeviceErrors {
  #error: WebbuildError | null = null;
  #lost: WebbuildError | null = null;
  readonly #devices = new Set<GPUDevice>();
  /** Tells the work under way that the device is lost. */
  readonly #waiting = new Set<(error: WebbuildError) => void>();

  watch(device: GPUDevice): void {
    this.#devices.add(device);
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#error ??= uncapturedError(error);
    });
    void device.lost.then(({ reason, message }) => {
      this.#devices.delete(device);
      this.#lost = deviceLost(`the GPU device was lost (${reason}): ${message}`.trim());
      for (const fail of this.#waiting) fail(this.#lost);
    });
  }

  take(): WebbuildError | null {
    const error = this.#lost ?? this.#error;
    this.#error = null;
    return error;
  }

  /** As take(), of a refused command when the device has told why: that it is lost comes after that. */
  async reason(): Promise<WebbuildError | null> {
    if (this.#error !== null && this.#lost === null) await this.#reasons();
    return this.take();
  }

  /** Does work on the device. Rejects when that is lost, also where the work never ends; what it told comes first. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lost !== null) throw this.#lost;
    let fail: (error: unknown) => void = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        fail = reject;
        this.#waiting.add(fail);
        whilePolling(this.#devices, work).then(resolve, reject);
      });
    } catch (error) {
      await this.#reasons();
      throw this.take() ?? error;
    } finally {
      this.#waiting.delete(fail);
    }
  }

  /**
   * Resolves when the devices have told why a command failed. Firefox tells of a loss as much as 100 ms after commands
   * fail for it, right after it has said that they are done.
   */
  async #reasons(): Promise<void> {
    const done = [...this.#devices].map(({ queue }) => queue.onSubmittedWorkDone());
    await Promise.race([Promise.allSettled(done), delay(DONE_LIMIT_MS)]);
    await delay(ERROR_DELAY_MS);
  }
}

/** Milliseconds by which the device may tell why a command failed after the command did, or after it was done. */
const ERROR_DELAY_MS = 50;
/** Milliseconds that the device has to be done with its commands: one that is lost may never be. */
const DONE_LIMIT_MS = 2000;

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function uncapturedError(error: GPUError): WebbuildError {
  if (!(error instanceof GPUOutOfMemoryError))
    return new WebbuildError(
      "gpu-error",
      `the GPU rejected a command: ${error.message}`,
      'load the model again, or with { backend: "wasm" }',
    );
  const fix = 'dispose of models that are not used, close other pages, or load with { backend: "wasm" }';
  return new WebbuildError("out-of-memory", `the GPU is out of memory: ${error.message}`, fix);
}

function deviceLost(message: string): WebbuildError {
  const fix = 'run again in a moment; if that fails too, load with { backend: "wasm" }';
  return new WebbuildError("device-lost", message, fix);
}
