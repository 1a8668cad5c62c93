// Files that lie beside the runtime where no bundler has moved them.

/** `String()` hides the form by which bundlers recognise a file of the app: they would look for one that is not there. */
export function runtimeFile(name: string): URL {
  return new URL(name, String(import.meta.url));
}
