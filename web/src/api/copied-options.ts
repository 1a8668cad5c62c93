// Copies the options of a run: the caller may change an array or an object before the worker gets it.

/**
 * Returns the options with copies of their arrays, typed arrays and plain objects. Pictures are copied when
 * they are packed.
 */
export function copiedOptions<T extends object>(options: T): T {
  return isPlain(options) ? (copyOf(options) as T) : options;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (ArrayBuffer.isView(value)) return copyOfView(value as Uint8Array);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

/** A view is sent to the worker with its whole buffer, such as the memory of a WebAssembly module; its copy is not. */
function copyOfView(view: Uint8Array): unknown {
  return view.byteLength === 0 ? new Uint8Array() : view.slice(); // a detached array has no slice
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
