import { afterEach, beforeEach, expect, test } from "vitest";
import { registerServiceWorker } from "../../src/storage/register-service-worker.js";
import type { Deployment } from "../fixture/deployed-host.js";

const PAGES = { "index.html": "<p>first", "page/page.js": "first", "report.json": '"first"' };
let folder: URL;

beforeEach(() => {
  folder = new URL(`/deployed/${crypto.randomUUID()}/`, location.origin);
});

afterEach(async () => {
  document.querySelector("iframe")?.remove();
  for (const registration of await navigator.serviceWorker.getRegistrations())
    await registration.unregister();
  for (const name of await caches.keys()) await caches.delete(name);
});

/** Deploys files, and a manifest that lists `listed` or all of them. */
async function deploy(files: Record<string, string>, listed = Object.keys(files), more = {}): Promise<void> {
  const manifest = JSON.stringify({ files: listed.map((path) => ({ path })) });
  const deployment: Deployment = { files: { "manifest.json": manifest, ...files }, ...more };
  await fetch(folder, { method: "POST", body: JSON.stringify(deployment) });
}

const address = (path: string): string => new URL(path, folder).href;
const register = (): Promise<string[]> =>
  registerServiceWorker(new URL(address("service-worker.js"))).then((warnings) =>
    warnings.map(({ code }) => code),
  );

/** Opens a page of the folder, and returns its window. */
async function open(path = ""): Promise<Window & typeof globalThis> {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.src = address(path);
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  await loaded;
  return frame.contentWindow as Window & typeof globalThis;
}

/** Returns the cached contents by path. */
async function kept(): Promise<Record<string, string>> {
  const cache = await caches.open(`webbuild-pages ${folder.href}`);
  const found: Record<string, string> = {};
  for (const request of await cache.keys())
    found[request.url.slice(folder.href.length)] = (await (await cache.match(request))?.text()) ?? "";
  return found;
}

test("a page opens when the server is down", async () => {
  await deploy(PAGES);
  expect(await register()).toEqual([]);
  await deploy(PAGES, [], { gone: true });
  const page = await open();
  expect(page.document.body.textContent).toBe("first");
  expect(await (await page.fetch("page/page.js")).text()).toBe("first");
});

test("a site in the folder /webbuild, the path of stored engines, opens from the server", async () => {
  folder = new URL(`/webbuild/deployed/${crypto.randomUUID()}/`, location.origin);
  await deploy(PAGES);
  expect(await register()).toEqual([]);
  const page = await open();
  expect(page.document.body.textContent).toBe("first");
  expect((await page.fetch("manifest.json")).status).toBe(200);
});

test("a missing report does not prevent caching", async () => {
  await deploy(PAGES, [...Object.keys(PAGES), "samples/a.jpg", "report.html"]);
  expect(await register()).toEqual([]);
  expect(Object.keys(await kept()).toSorted()).toEqual(
    ["", "index.html", "manifest.json", "page/page.js", "report.json"].toSorted(),
  );
});

test("a source map is not cached: only devtools request it", async () => {
  await deploy({ ...PAGES, "page/page.js.map": "{}" });
  expect(await register()).toEqual([]);
  expect(Object.keys(await kept())).not.toContain("page/page.js.map");
});

test("a missing script is reported, and nothing is left behind", async () => {
  await deploy(PAGES, [...Object.keys(PAGES), "page/gone.js"]);
  expect(await register()).toEqual(["not-offline"]);
  expect(await caches.keys()).toEqual([]);
});

test("another bundle at the same address replaces all of its pages", async () => {
  await deploy({ ...PAGES, "page/old.js": "old" });
  expect(await register()).toEqual([]);
  const page = await open();
  const next = { "index.html": "<p>next", "page/page.js": "next", "page/new.js": "new", "report.json": "1" };
  await deploy(next);
  await page.fetch("manifest.json", { cache: "no-cache" });
  await expect.poll(kept).toMatchObject({ ...next, "": "<p>next" });
  expect(Object.keys(await kept())).not.toContain("page/old.js");
});

test("a half-deployed bundle is cached once it is complete", async () => {
  await deploy(PAGES);
  expect(await register()).toEqual([]);
  const page = await open();
  const next = { "index.html": "<p>next", "page/page.js": "next", "page/new.js": "new" };
  await deploy({ "index.html": "<p>next" }, Object.keys(next));
  await page.fetch("manifest.json", { cache: "no-cache" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await deploy(next);
  await page.fetch("manifest.json", { cache: "no-cache" });
  await expect.poll(kept).toMatchObject(next);
});

test("files outside the bundle's list are not cached", async () => {
  await deploy({ ...PAGES, "app.json": "1" }, Object.keys(PAGES));
  expect(await register()).toEqual([]);
  const page = await open();
  await page.fetch("app.json");
  await page.fetch("report.json?x=1");
  await deploy({ ...PAGES, "report.json": '"changed"' });
  await page.fetch("report.json", { cache: "reload" });
  await expect.poll(kept).toMatchObject({ "report.json": '"changed"' });
  expect(Object.keys(await kept())).not.toContain("app.json");
});

test("files that a manifest names outside its folder are neither fetched nor cached", async () => {
  await deploy(PAGES, [...Object.keys(PAGES), "../outside.js", "https://elsewhere.invalid/page.js"]);
  expect(await register()).toEqual([]);
  expect(Object.keys(await kept()).filter((path) => !(path in PAGES))).toEqual(["", "manifest.json"]);
});

test("a page that the host redirects opens without it", async () => {
  await deploy({ ...PAGES, "index.html": "<p>first", "report.html": "->report", report: "<p>report" }, [
    ...Object.keys(PAGES),
    "report.html",
  ]);
  expect(await register()).toEqual([]);
  await deploy(PAGES, [], { gone: true });
  expect((await open("report.html")).document.body.textContent).toBe("report");
});

test("the service worker of an earlier version is replaced", async () => {
  const earlier = `addEventListener("install", (event) => event.waitUntil(
    caches.open("webbuild-pages " + registration.scope).then((cache) => cache.put("left-over.json", new Response("1")))));
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));`;
  await deploy({ ...PAGES, "service-worker.js": earlier }, Object.keys(PAGES));
  expect(await register()).toEqual([]);
  expect(await kept()).toEqual({ "left-over.json": "1" });
  await open();
  await deploy(PAGES);
  expect(await register()).toEqual([]);
  await (await navigator.serviceWorker.getRegistration(folder))?.update();
  await expect.poll(kept, { timeout: 20_000 }).toMatchObject(PAGES);
  await expect.poll(async () => Object.keys(await kept())).not.toContain("left-over.json");
});
