// Transfers values between page and worker: errors with all their fields, tensors moved instead of copied.

import { type TransferHandler, transfer, transferHandlers } from "comlink";
import { asWebbuildError, type ErrorCode, internalError, WebbuildError } from "../api/errors.js";
import { type PackedPicture, transferableImages } from "../preprocess/pixels.js";

interface ThrownValue {
  value: unknown;
}

interface SerializedError {
  code: ErrorCode;
  message: string;
  fix: string;
  stack: string | undefined;
  pictures: readonly PackedPicture[];
}

/** Comlink's handler keeps only message, name and stack. Call this on both sides before the first call. */
export function registerErrorTransfer(): void {
  const own = transferHandlers.get("throw") as TransferHandler<ThrownValue, unknown>;
  const handler: TransferHandler<ThrownValue, SerializedError> = {
    canHandle: own.canHandle,
    serialize({ value }) {
      const { code, message, fix, stack, pictures } = asWebbuildError(value, internalError);
      return [{ code, message, fix, stack, pictures }, transferableImages(pictures)];
    },
    deserialize({ code, message, fix, stack, pictures }) {
      const error = new WebbuildError(code, message, fix);
      error.pictures = pictures;
      if (stack !== undefined) error.stack = stack;
      throw error;
    },
  };
  transferHandlers.set("throw", handler);
}

/** Marks arrays and other transferable parts of `value` to be moved instead of copied. */
export function withTransfer<T extends object>(
  value: T,
  arrays: readonly ArrayBufferView<ArrayBuffer>[],
  others: readonly Transferable[] = [],
): T {
  return transfer(value, [...new Set(arrays.map(({ buffer }) => buffer)), ...others]);
}
