// The service worker of the runtime's worker alone. It serves the engine from Cache Storage, so that the
// browser caches its compiled code. All other requests go to the browser.

import type { ServiceWorkerScope } from "./service-worker-events.js";
import { engineResponse } from "./storage/engine-response.js";

const worker = globalThis as unknown as ServiceWorkerScope;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener("fetch", (event) => {
  const response = engineResponse(event.request);
  if (response !== null) event.respondWith(response);
});
