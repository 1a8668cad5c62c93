// Creates a worker of the runtime's scripts, even if they are on another origin.

import { trustedUrl } from "./trusted-url.js";

/**
 * A worker's script must be on the page's origin, but may import one of another: here, from a blob URL. The
 * origin of a sandboxed page is "null". Chromium starts no module from a blob URL there, but from a data URL.
 */
export function createWorker(url: URL, name: string): Worker {
  const options = { type: "module", name } as const;
  if (url.origin === globalThis.origin) return new Worker(trustedUrl(url), options);
  const script = `import ${JSON.stringify(url.href)};`;
  if (globalThis.origin === "null")
    return new Worker(trustedUrl(`data:text/javascript,${encodeURIComponent(script)}`), options);
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(trustedUrl(address), options);
  URL.revokeObjectURL(address);
  return worker;
}
