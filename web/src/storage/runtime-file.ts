// URLs of files next to the runtime's script.

/**
 * Returns the URL. `String()` hides `new URL(..., import.meta.url)` from bundlers, which would resolve it at
 * build time.
 */
export function runtimeFile(name: string): URL {
  return new URL(name, String(import.meta.url));
}
