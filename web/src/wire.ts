// How values cross between the page and the worker: errors whole, tensors moved instead of copied.

import { type TransferHandler, transfer, transferHandlers } from "comlink";
import { asWebbuildError, type ErrorCode, internalError, WebbuildError } from "./errors.js";
import { movable, type Picture } from "./pixels.js";

interface Thrown {
  value: unknown;
}

interface ErrorOnWire {
  code: ErrorCode;
  message: string;
  fix: string;
  stack: string | undefined;
  pictures: readonly Picture[];
}

/** Comlink's own handler keeps message, name and stack only. Call this on both sides before anything crosses. */
export function carryErrors(): void {
  const own = transferHandlers.get("throw") as TransferHandler<Thrown, unknown>;
  const handler: TransferHandler<Thrown, ErrorOnWire> = {
    canHandle: own.canHandle,
    serialize({ value }) {
      const { code, message, fix, stack, pictures } = asWebbuildError(value, internalError);
      return [{ code, message, fix, stack, pictures }, movable(pictures)];
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

/** Marks the arrays inside `value`, and what else in it can be moved, to be moved when it crosses. */
export function moving<T extends object>(
  value: T,
  arrays: readonly ArrayBufferView<ArrayBuffer>[],
  others: readonly Transferable[] = [],
): T {
  return transfer(value, [...new Set(arrays.map(({ buffer }) => buffer)), ...others]);
}
