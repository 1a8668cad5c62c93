// The service worker of the runtime's worker alone: it gives it the engine in the form of which the browser keeps compiled
// code, and leaves every other request to the browser.

import type { ServiceWorkerScope } from "./service-worker-events.js";
import { engineAnswer } from "./storage/engine-answer.js";

const worker = globalThis as unknown as ServiceWorkerScope;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener("fetch", (event) => {
  const answer = engineAnswer(event.request);
  if (answer !== null) event.respondWith(answer);
});
