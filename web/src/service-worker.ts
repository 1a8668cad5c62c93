// The service worker of a bundle's folder. It serves pages and scripts from the network, or offline from its
// cache, and the engine from the runtime's storage. The runtime caches models itself.

import type { Manifest } from "./manifest/manifest.js";
import type { ServedRequest, ServiceWorkerScope } from "./service-worker-events.js";
import { engineResponse } from "./storage/engine-response.js";

/** The URLs of pages. */
interface Pages {
  /** Without these no page opens. */
  needed: string[];
  /** Reports and samples: installing succeeds without them. */
  extra: string[];
  /** Stored once they were fetched: they are for pages of other sites. */
  elsewhere: string[];
}

const worker = globalThis as unknown as ServiceWorkerScope;
const { scope } = worker.registration;
const CACHE = `webbuild-pages ${scope}`;
const PAGE_FILES = /\.(html|css|js|mjs|json|svg|png|jpe?g|webp|avif|gif|bmp)$/;
const NEEDED = /\.(css|js|mjs)$|(^|\/)index\.html$/;
/** It is for bundlers: no page loads it. */
const PACKAGE_ENTRY = /(^|\/)npm\.js$/;
const ELEMENT = /(^|\/)page\/web-model\.js$/;

/**
 * The bundles to serve, relative to the scope: `?manifest=a/manifest.json&page=site.css` in its URL; default:
 * one bundle.
 */
const { searchParams } = new URL(globalThis.location.href);
const named = searchParams.has("manifest") ? searchParams.getAll("manifest") : ["manifest.json"];
const MANIFESTS = named.map((path) => new URL(path, scope).href);

/** The pages of the stored manifests. Only a memo: browsers end and start a service worker at any time. */
let listed: Promise<Set<string>> | null = null;

function pagesOf(base: string, { files }: Manifest): Pages {
  const paths = files.map(({ path }) => path).filter((path) => PAGE_FILES.test(path));
  const isNeeded = (path: string): boolean => NEEDED.test(path) && !PACKAGE_ENTRY.test(path);
  const folder = new URL("./", base).href;
  const urls = (fits: (path: string) => boolean): string[] =>
    paths
      .filter(fits)
      .map((path) => new URL(path, base).href)
      .filter((url) => url.startsWith(folder)); // a wrong manifest may name files outside of the bundle's folder
  return {
    needed: [base, folder, ...urls((path) => isNeeded(path) && !ELEMENT.test(path))],
    extra: urls((path) => !isNeeded(path)),
    elsewhere: urls((path) => ELEMENT.test(path)),
  };
}

/** Fetches from the server: right after a deployment the HTTP cache still has files of the previous one. */
async function fetched(url: string): Promise<Response> {
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  return response;
}

/** Returns the response without its redirect: browsers reject a redirected response for another URL. */
function unredirected(response: Response): Response {
  if (!response.redirected) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body, { status, statusText, headers });
}

/** Returns the pages of all bundles, from the manifests that `read` returns. */
async function allPages(read: (url: string) => Promise<Response | undefined>): Promise<Pages> {
  const bundles = await Promise.all(
    MANIFESTS.map(async (url) => pagesOf(url, (await (await read(url))?.json()) as Manifest)),
  );
  const own = ["", ...searchParams.getAll("page")].map((path) => new URL(path, scope).href);
  return {
    needed: [...own, ...bundles.flatMap(({ needed }) => needed)],
    extra: bundles.flatMap(({ extra }) => extra),
    elsewhere: bundles.flatMap(({ elsewhere }) => elsewhere),
  };
}

/** Stores the current pages of the bundles, and deletes all others. */
async function keepPages(): Promise<void> {
  const manifests = new Map<string, Response>();
  const { needed, extra, elsewhere } = await allPages(async (url) => {
    const response = await fetched(url);
    manifests.set(url, response.clone());
    return response;
  });
  const cache = await caches.open(CACHE);
  const kept = new Set([...needed, ...extra, ...elsewhere]);
  const put = async (url: string): Promise<void> => {
    const response = await fetched(url);
    const urls = response.redirected ? [url, response.url] : [url];
    for (const each of urls) await cache.put(each, unredirected(response.clone()));
    kept.add(response.url);
  };
  await Promise.all([...new Set(needed)].filter((url) => !manifests.has(url)).map(put));
  await Promise.allSettled([...new Set(extra)].map(put));
  // Manifests are stored last: a stored manifest means that its pages are stored.
  for (const [url, response] of manifests) await cache.put(url, unredirected(response));
  for (const { url } of await cache.keys()) if (!kept.has(url)) await cache.delete(url);
  listed = Promise.resolve(kept);
}

/** Returns the network's response. Storing it is best effort: a full disk must not break an online page. */
async function networkFirst(event: ServedRequest): Promise<Response> {
  const { request } = event;
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    const cached = await caches
      .match(request, { cacheName: CACHE, ignoreSearch: true, ignoreVary: true })
      .catch(() => undefined);
    if (cached !== undefined) return cached;
    throw error;
  }
  if (response.status === 200) event.waitUntil(keep(request.url, response.clone()).catch(() => {}));
  return response;
}

/** Stores a page. A changed manifest means a new bundle: all its pages are stored again. */
async function keep(address: string, response: Response): Promise<void> {
  const url = new URL(address);
  url.search = "";
  const cache = await caches.open(CACHE);
  if (MANIFESTS.includes(url.href)) {
    const before = await (await cache.match(url.href))?.text();
    if (before !== (await response.text())) await keepPages();
    return;
  }
  listed ??= allPages((manifest) => cache.match(manifest)).then(
    ({ needed, extra, elsewhere }) => new Set([...needed, ...extra, ...elsewhere]),
  );
  if ((await listed).has(url.href)) await cache.put(url.href, unredirected(response));
}

worker.addEventListener("install", (event) => {
  const installing = keepPages().catch(async (error: unknown) => {
    if (worker.registration.active === null) await caches.delete(CACHE);
    throw error;
  });
  event.waitUntil(installing.then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(worker.clients.claim());
});

worker.addEventListener("fetch", (event) => {
  const engine = engineResponse(event.request);
  if (engine !== null) {
    event.respondWith(engine);
    return;
  }
  const { method, url, headers, mode } = event.request;
  const path = url.startsWith(scope) ? new URL(url).pathname : null;
  if (method !== "GET" || path === null || headers.has("range")) return;
  if (mode === "navigate" || path.endsWith("/") || PAGE_FILES.test(path))
    event.respondWith(networkFirst(event));
});
