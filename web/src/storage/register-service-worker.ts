// The service workers, registered and installed: that of a bundle's folder, whose pages open without a network, and that of
// the runtime's worker, which is given the engine in the form of which the browser keeps compiled code.

import type { Warning } from "../api/types.js";
import { trustedUrl } from "../worker/trusted-url.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { runtimeFile } from "./runtime-file.js";

/** Waits until its pages are kept. Returns what is to be said where that cannot be. */
export async function registerServiceWorker(address: URL): Promise<Warning[]> {
  try {
    const registering = navigator.serviceWorker.register(trustedUrl(address), {
      scope: new URL("./", address).href,
    });
    const { installing, waiting, active } = await withLimit(registering, LIMITS.start, "the service worker");
    // Where there is an active one, pages open with what that one keeps, whatever becomes of the next.
    const first = active ?? waiting ?? installing;
    if (first !== null) await activated(first);
    return [];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = "serve the bundle over https from the page's own origin, whole, with its service-worker.js";
    return [{ code: "not-offline", message: `the bundle will not open offline: ${reason}`, fix }];
  }
}

/**
 * Lets the runtime's worker be given the engine from the next visit on. Returns whether it will: not where the worker is of
 * another origin, or where it is another service worker's to answer.
 */
export async function registerEngineWorker(): Promise<boolean> {
  const [worker, script] = [runtimeFile("worker.js"), runtimeFile("engine-service-worker.js")];
  // Chromium has `userAgentData`; no other browser keeps compiled code of what a service worker answers.
  if (worker.origin !== location.origin || !("userAgentData" in navigator)) return false;
  try {
    const others = (await navigator.serviceWorker.getRegistrations()).filter(
      ({ scope }) => scope !== worker.href,
    );
    const other = others.find(({ scope }) => worker.href.startsWith(scope));
    if (other !== undefined) {
      const own = await navigator.serviceWorker.getRegistration(worker.href);
      if (own?.scope === worker.href) await own.unregister();
      return isOffline(other);
    }
    const registration = await navigator.serviceWorker.register(trustedUrl(script), { scope: worker.href });
    const { installing, waiting, active } = registration;
    const first = active ?? waiting ?? installing;
    if (first !== null) await activated(first);
    return true;
  } catch {
    return false;
  }
}

/** Installing takes as long as its downloads, and nothing waits for it: there is no limit. */
function activated(worker: ServiceWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant")
        reject(new Error("a page of it could not be fetched, or the browser has no room for it"));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

/** Whether it is that of the bundle's folder, which gives the engine too. */
function isOffline({ active }: ServiceWorkerRegistration): boolean {
  return active?.scriptURL.split("?")[0] === runtimeFile("../service-worker.js").href;
}
