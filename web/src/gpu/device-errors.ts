// Errors of GPU devices that no promise reports: rejected commands, out of memory, a lost device.

import { WebbuildError } from "../api/errors.js";
import { whilePolling } from "./poll-devices.js";

/** Keeps the first error of the devices until it is taken. A lost device stays an error. */
export class DeviceErrors {
  #error: WebbuildError | null = null;
  #lost: WebbuildError | null = null;
  readonly #devices = new Set<GPUDevice>();
  /** Rejects the work under way when the device is lost. */
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

  /** Returns the error, null if there is none, and clears it unless the device is lost. */
  take(): WebbuildError | null {
    const error = this.#lost ?? this.#error;
    this.#error = null;
    return error;
  }

  /** Like take(), but waits after a rejected command: if a device loss is the cause, it is reported later. */
  async takeCause(): Promise<WebbuildError | null> {
    if (this.#error !== null && this.#lost === null) await this.#waitForCause();
    return this.take();
  }

  /**
   * Does work on the devices. Rejects when one is lost, also if the work never ends. An error that a device reports replaces
   * the error of the work.
   */
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
      await this.#waitForCause();
      throw this.take() ?? error;
    } finally {
      this.#waiting.delete(fail);
    }
  }

  /**
   * Resolves when the devices have reported why a command failed. Firefox reports a loss up to 100 ms after commands fail
   * because of it, right after onSubmittedWorkDone().
   */
  async #waitForCause(): Promise<void> {
    const done = [...this.#devices].map(({ queue }) => queue.onSubmittedWorkDone());
    await Promise.race([Promise.allSettled(done), delay(WORK_DONE_LIMIT_MS)]);
    await delay(ERROR_DELAY_MS);
  }
}

/** The time from a failed command, or from the end of the submitted work, to the device's report of the cause. */
const ERROR_DELAY_MS = 50;
/** How long onSubmittedWorkDone() is awaited: on a lost device it may never resolve. */
const WORK_DONE_LIMIT_MS = 2000;

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
