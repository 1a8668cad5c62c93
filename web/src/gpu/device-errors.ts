// What befalls a GPU device: refused commands, no memory, its loss. Nothing else would report them.

import { WebbuildError } from "../api/errors.js";

/** Keeps the first error of the devices since it was last asked. A lost device stays an error. */
export class DeviceErrors {
  #error: WebbuildError | null = null;
  #lost: WebbuildError | null = null;
  /** Tells the work under way that the device is lost. */
  readonly #waiting = new Set<(error: WebbuildError) => void>();

  watch(device: GPUDevice): void {
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#error ??= uncapturedError(error);
    });
    void device.lost.then(({ reason, message }) => {
      this.#lost = deviceLost(`the GPU device was lost (${reason}): ${message}`.trim());
      for (const fail of this.#waiting) fail(this.#lost);
    });
  }

  take(): WebbuildError | null {
    const error = this.#lost ?? this.#error;
    this.#error = null;
    return error;
  }

  /** Does work on the device. Rejects when that is lost, also where the work never ends; what it told comes first. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lost !== null) throw this.#lost;
    let fail: (error: unknown) => void = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        fail = reject;
        this.#waiting.add(fail);
        work().then(resolve, reject);
      });
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, ERROR_DELAY_MS));
      throw this.take() ?? error;
    } finally {
      this.#waiting.delete(fail);
    }
  }
}

/** Milliseconds by which the device may tell why a command failed after the command did. */
const ERROR_DELAY_MS = 50;

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
