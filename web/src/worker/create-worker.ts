// Creates a worker of the runtime's scripts, even if they are on another origin.

import { trustedUrl } from "./trusted-url.js";

/** A worker's script must be on the page's origin, but may import one of another: here, from a blob URL. */
export function createWorker(url: URL, name: string): Worker {
  const options = { type: "module", name } as const;
  if (url.origin === location.origin) return new Worker(trustedUrl(url), options);
  const script = new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" });
  const address = URL.createObjectURL(script);
  const worker = new Worker(trustedUrl(address), options);
  URL.revokeObjectURL(address);
  return worker;
}
