// load(): a bundle's manifest into a model that is ready to run.

import type { LoadOptions, Warning } from "./api.js";
import { abortedError, WebbuildError } from "./errors.js";
import { openBest } from "./ladder.js";
import type { Manifest } from "./manifest.js";
import { Model } from "./model.js";
import { workOffline } from "./offline.js";
import { Standing } from "./standing.js";

/** Loads the bundle of `manifestUrl`, a relative one against the page. Rejects with a WebbuildError. */
export async function load(manifestUrl: URL | string, options: LoadOptions = {}): Promise<Model> {
  const base = new URL(manifestUrl, document.baseURI).href;
  const manifest = await fetchManifest(base, options.signal);
  const { backend = "auto", precision = "auto", trace = false, selfTest = true, cache = true } = options;
  const { pixels = "auto", addresses = {}, worker = null, offline = false } = options;
  const how = { trace, selfTest, cache, pixels, addresses, worker };
  const wanted = { manifest, base, backend, precision, copied: null, noCapture: null, ...how };
  const opened = await openBest(wanted, options);
  const standing = new Standing(wanted, opened, [...opened.warnings, ...unverified()]);
  if (offline !== false) {
    const address =
      offline === true ? new URL("service-worker.js", base) : new URL(offline, document.baseURI);
    void workOffline(address).then((warnings) => standing.warn(warnings));
  }
  return Model.of(manifest, standing);
}

/** Without WebCrypto a file's size is all that can be checked. */
function unverified(): Warning[] {
  if (isSecureContext) return [];
  const message =
    "this page is neither https nor localhost: the sizes of the files were checked, their hashes not";
  return [{ code: "unverified-files", message, fix: "serve the bundle over https" }];
}

async function fetchManifest(url: string, signal: AbortSignal | undefined): Promise<Manifest> {
  if (signal?.aborted) throw abortedError(signal);
  const manifest = await fetchJson(url, signal);
  if (isManifest(manifest)) return manifest;
  checkSchema(manifest, url);
  const fix = "pack the model again, and deploy the manifest and the runtime of one pack together";
  throw new WebbuildError("bad-manifest", `${url} is not a manifest that this runtime can read`, fix);
}

async function fetchJson(url: string, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    const response = await fetch(url, signal ? { signal } : {});
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
    return await response.json();
  } catch (cause) {
    if (signal?.aborted) throw abortedError(signal);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WebbuildError("download-failed", `manifest.json: ${why}`, `check that ${url} is deployed`, {
      cause,
    });
  }
}

/** Throws for a manifest that another version of webbuild wrote. */
function checkSchema(manifest: unknown, url: string): void {
  const { schema, generator } = Object(manifest) as { schema?: unknown; generator?: { version?: unknown } };
  if (typeof schema !== "number" || schema === 1) return;
  const writer = `webbuild ${generator?.version ?? "of an unknown version"}`;
  const fix =
    schema > 1
      ? "deploy the runtime that was packed with it, or pack the model again with this version"
      : "pack the model again with this version of webbuild, and deploy the whole bundle";
  const what = `${url} is of schema ${schema}, written by ${writer}; this runtime reads schema 1`;
  throw new WebbuildError("wrong-schema", what, fix);
}

/** The runtime is packed with its manifest; this tells a wrong file or version, not every wrong field. */
function isManifest(value: unknown): value is Manifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "schema" in value &&
    value.schema === 1 &&
    "graphs" in value
  );
}
