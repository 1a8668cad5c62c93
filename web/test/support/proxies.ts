// Objects as frameworks keep them: no worker takes a Proxy.

/** Wraps all plain objects and arrays, as Vue's reactive() does. */
export function inProxies<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return new Proxy(value, { get: (target, name) => inProxies(Reflect.get(target, name)) });
}
