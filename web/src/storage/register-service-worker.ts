// Pages of the bundle's folder that open without a network: its service worker, registered.

import type { Warning } from "../api/types.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";

/** Returns what is to be said where that cannot be. */
export async function registerServiceWorker(address: URL): Promise<Warning[]> {
  try {
    const registered = navigator.serviceWorker.register(address, { scope: new URL("./", address).href });
    await withLimit(registered, LIMITS.start, "the service worker");
    return [];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = "serve the bundle over https from the page's own origin, with its service-worker.js";
    return [{ code: "not-offline", message: `the bundle will not open offline: ${reason}`, fix }];
  }
}
