// Addresses of files beside the runtime's script.

/** `String()` hides `new URL(..., import.meta.url)` from bundlers, which would look for the file at build time. */
export function runtimeFile(name: string): URL {
  return new URL(name, String(import.meta.url));
}
