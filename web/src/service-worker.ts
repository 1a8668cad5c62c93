// The service worker of a bundle's folder: its pages and scripts, from the network while there is one, else as they
// were last. Models and engines it leaves to the runtime, which keeps them itself.

import type { Manifest } from "./manifest.js";

/** What TypeScript's DOM leaves out, since only service workers have it. */
interface Scope {
  registration: { scope: string };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(name: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(name: "fetch", listener: (event: Fetching) => void): void;
}

interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetching {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

const worker = globalThis as unknown as Scope;
const { scope } = worker.registration;
const CACHE = `webbuild-pages ${scope}`;
const KEPT = /\.(html|css|js|mjs|json|svg|png|jpe?g|webp|avif|gif|bmp)$/;

/** Paths that make up the pages, the folder itself among them. */
async function pages(): Promise<string[]> {
  const response = await fetch(new URL("manifest.json", scope));
  const { files }: Manifest = await response.json();
  return ["", "manifest.json", ...files.map(({ path }) => path).filter((path) => KEPT.test(path))];
}

async function keepPages(): Promise<void> {
  const urls = (await pages()).map((path) => new URL(path, scope).href);
  const cache = await caches.open(CACHE);
  await cache.addAll(urls);
  for (const { url } of await cache.keys()) if (!urls.includes(url)) await cache.delete(url);
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept !== undefined) return kept;
    throw error;
  }
}

worker.addEventListener("install", (event) => {
  event.waitUntil(keepPages().then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(worker.clients.claim());
});

worker.addEventListener("fetch", (event) => {
  const { method, url, headers } = event.request;
  const path = url.startsWith(scope) ? new URL(url).pathname : null;
  if (method !== "GET" || path === null || headers.has("range")) return;
  if (path.endsWith("/") || KEPT.test(path)) event.respondWith(answer(event.request));
});
