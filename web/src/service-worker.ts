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

/** What it serves, relative to its scope: `?manifest=a/manifest.json&page=site.css` in its address, else one bundle. */
const { searchParams } = new URL(globalThis.location.href);
const MANIFESTS = searchParams.has("manifest") ? searchParams.getAll("manifest") : ["manifest.json"];

/** Returns the addresses of a bundle's pages, its folder itself among them. */
async function pagesOf(manifest: string): Promise<string[]> {
  const base = new URL(manifest, scope);
  const response = await fetch(base);
  const { files }: Manifest = await response.json();
  const paths = files.map(({ path }) => path).filter((path) => KEPT.test(path));
  return [base.href, ...["./", ...paths].map((path) => new URL(path, base).href)];
}

async function pages(): Promise<string[]> {
  const own = ["", ...searchParams.getAll("page")].map((path) => new URL(path, scope).href);
  return [...new Set([...own, ...(await Promise.all(MANIFESTS.map(pagesOf))).flat()])];
}

async function keepPages(): Promise<void> {
  const urls = await pages();
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
