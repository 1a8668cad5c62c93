// The service worker of a bundle's folder: its pages and scripts, from the network while there is one, else as they
// were last. Models and engines it leaves to the runtime, which keeps them itself.

import type { Manifest } from "./manifest/manifest.js";

/** What TypeScript's DOM leaves out, since only service workers have it. */
interface Scope {
  registration: { scope: string };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(name: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(name: "fetch", listener: (event: ServedRequest) => void): void;
}

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface ServedRequest extends ExtendableEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

const worker = globalThis as unknown as Scope;
const { scope } = worker.registration;
const CACHE = `webbuild-pages ${scope}`;
const PAGE_FILES = /\.(html|css|js|mjs|json|svg|png|jpe?g|webp|avif|gif|bmp)$/;
/** Pages of other people have it: it is kept once it was fetched. */
const ELEMENT = /(^|\/)page\/web-model\.js$/;

/** What it serves, relative to its scope: `?manifest=a/manifest.json&page=site.css` in its address, else one bundle. */
const { searchParams } = new URL(globalThis.location.href);
const MANIFESTS = searchParams.has("manifest") ? searchParams.getAll("manifest") : ["manifest.json"];

/** Returns the addresses of a bundle's pages, its folder itself among them. */
async function pagesOf(manifest: string): Promise<string[]> {
  const base = new URL(manifest, scope);
  const response = await fetch(base);
  const { files }: Manifest = await response.json();
  const paths = files.map(({ path }) => path).filter((path) => PAGE_FILES.test(path) && !ELEMENT.test(path));
  return [base.href, ...["./", ...paths].map((path) => new URL(path, base).href)];
}

async function pages(): Promise<string[]> {
  const own = ["", ...searchParams.getAll("page")].map((path) => new URL(path, scope).href);
  return [...new Set([...own, ...(await Promise.all(MANIFESTS.map(pagesOf))).flat()])];
}

async function cachePages(): Promise<void> {
  const urls = await pages();
  const cache = await caches.open(CACHE);
  await cache.addAll(urls);
  for (const { url } of await cache.keys()) if (!urls.includes(url)) await cache.delete(url);
}

/** The network's answer as it comes. Keeping it is best effort: a full disk is no reason to refuse who is online. */
async function networkFirst(event: ServedRequest): Promise<Response> {
  const { request } = event;
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    const cached = await caches
      .match(request, { cacheName: CACHE, ignoreSearch: true })
      .catch(() => undefined);
    if (cached !== undefined) return cached;
    throw error;
  }
  if (response.status === 200) event.waitUntil(keep(request, response.clone()).catch(() => {}));
  return response;
}

async function keep(request: Request, response: Response): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.put(request, response);
}

worker.addEventListener("install", (event) => {
  event.waitUntil(cachePages().then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(worker.clients.claim());
});

worker.addEventListener("fetch", (event) => {
  const { method, url, headers } = event.request;
  const path = url.startsWith(scope) ? new URL(url).pathname : null;
  if (method !== "GET" || path === null || headers.has("range")) return;
  if (path.endsWith("/") || PAGE_FILES.test(path)) event.respondWith(networkFirst(event));
});
