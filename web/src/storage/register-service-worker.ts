// Registers the two service workers. The one of a bundle's folder lets its pages open offline. The one of the
// runtime's worker serves the engine, so that the browser caches its compiled code.

import { errorMessage } from "../api/errors.js";
import type { Warning } from "../api/types.js";
import { trustedUrl } from "../worker/trusted-url.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { runtimeFile } from "./runtime-file.js";

/** Registers the service worker of a bundle and waits until it has stored the pages. Returns a warning if that fails. */
export async function registerServiceWorker(address: URL): Promise<Warning[]> {
  try {
    if (!("serviceWorker" in navigator))
      throw new Error("the browser offers no service workers to this page");
    const registering = navigator.serviceWorker.register(trustedUrl(address), {
      scope: new URL("./", address).href,
    });
    await whenActive(await withLimit(registering, LIMITS.start, "the service worker"));
    return [];
  } catch (cause) {
    const reason = errorMessage(cause);
    const fix = "serve the bundle over https from the page's own origin, whole, with its service-worker.js";
    return [{ code: "not-offline", message: `the bundle will not open offline: ${reason}`, fix }];
  }
}

/**
 * Registers the service worker that serves the engine to the runtime's worker from the next visit on. Returns
 * whether the engine will be served: not if the worker is of another origin, or in the scope of another
 * service worker.
 */
export async function registerEngineWorker(): Promise<boolean> {
  const [worker, script] = [runtimeFile("worker.js"), runtimeFile("engine-service-worker.js")];
  // Only Chromium, which has `userAgentData`, caches the compiled code of a service worker's responses.
  if (worker.origin !== globalThis.origin || !("userAgentData" in navigator)) return false;
  try {
    const others = (await navigator.serviceWorker.getRegistrations()).filter(
      ({ scope }) => scope !== worker.href,
    );
    const other = others.find(({ scope }) => worker.href.startsWith(scope));
    if (other !== undefined) {
      const own = await navigator.serviceWorker.getRegistration(worker.href);
      if (own?.scope === worker.href) await own.unregister();
      return servesBundle(other);
    }
    const registration = await navigator.serviceWorker.register(trustedUrl(script), { scope: worker.href });
    await whenActive(registration);
    return true;
  } catch {
    return false;
  }
}

/** Waits for a service worker to be active. An active one already serves pages, even if its update fails. */
async function whenActive({ installing, waiting, active }: ServiceWorkerRegistration): Promise<void> {
  const worker = active ?? waiting ?? installing;
  if (worker !== null) await activated(worker);
}

/** Has no time limit: installing takes as long as its downloads, and no load waits for it. */
function activated(worker: ServiceWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant")
        reject(new Error("a page could not be fetched, or the browser has no space to store it"));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

/** Whether it is the service worker of the bundle's folder, which also serves the engine. */
function servesBundle({ active }: ServiceWorkerRegistration): boolean {
  return active?.scriptURL.split("?")[0] === runtimeFile("../service-worker.js").href;
}
