// A worker of the runtime's own scripts, also where they lie on another origin.

import { trustedUrl } from "./trusted-url.js";

/** A worker must come from the page's own origin; what it imports need not. */
export function createWorker(url: URL, name: string): Worker {
  const options = { type: "module", name } as const;
  if (url.origin === location.origin) return new Worker(trustedUrl(url), options);
  const script = new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" });
  const address = URL.createObjectURL(script);
  const worker = new Worker(trustedUrl(address), options);
  URL.revokeObjectURL(address);
  return worker;
}
