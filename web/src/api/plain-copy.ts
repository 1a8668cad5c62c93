// Copies plain data that a caller gives: it may change it after the call, or give it as a framework's proxy,
// which cannot be sent to a worker.

/** Returns a value with copies of its arrays, typed arrays and plain objects. All others stay, such as pictures. */
export function plainCopy<T>(value: T): T;
export function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => plainCopy(each));
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return copyOfView(value as Uint8Array);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainCopy(each)]));
}

/**
 * Returns an array of the same type. A view is sent to the worker with its whole buffer, such as the memory of a
 * WebAssembly module; its copy is not.
 */
function copyOfView(view: Uint8Array): unknown {
  if (view.byteLength > 0) return view.slice();
  return new (view.constructor as Uint8ArrayConstructor)(0); // slice() of a detached array throws
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
