// load(): a bundle's manifest into a model that is ready to run.

import type { Manifest } from "../manifest/manifest.js";
import { registerServiceWorker } from "../storage/register-service-worker.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { abortedError, guarded, WebbuildError } from "./errors.js";
import { Model } from "./model.js";
import { openStages } from "./open-stages.js";
import { checkLoadOptions } from "./options.js";
import { checkStageNames } from "./stage-option.js";
import type { LoadOptions, Warning } from "./types.js";

/** The schemas of a manifest that are read. */
const SCHEMAS: readonly number[] = [1, 2] satisfies Manifest["schema"][];

/**
 * Loads the bundle of `manifestUrl`, a relative one against the page, in a worker against its script. Rejects with a
 * WebbuildError.
 */
export function load(manifestUrl: URL | string, options: LoadOptions = {}): Promise<Model> {
  return guarded(() => open(manifestUrl, options));
}

async function open(manifestUrl: URL | string, options: LoadOptions): Promise<Model> {
  checkLoadOptions(options);
  const base = resolved(manifestUrl, "the address of the manifest").href;
  const whole = await fetchManifest(base, options.signal);
  checkStageNames(whole, options.backend, "backend");
  checkStageNames(whole, options.precision, "precision");
  const { offline = false } = options;
  const address =
    offline === true ? new URL("service-worker.js", base) : offline && resolved(offline, "offline");
  const stages = await openStages(whole, base, options);
  const session = stages[0]?.session;
  session?.warn(unverifiedWarnings());
  if (address) void registerServiceWorker(address).then((warnings) => session?.warn(warnings));
  return Model.of(whole, stages);
}

function resolved(address: URL | string, what: string): URL {
  try {
    return new URL(address, globalThis.document?.baseURI ?? location.href);
  } catch (cause) {
    const fix = "give an absolute address, or one relative to the page";
    throw new WebbuildError("invalid-option", `${what}: ${JSON.stringify(address)} is none`, fix, { cause });
  }
}

/** Without WebCrypto a file's size is all that can be checked. */
function unverifiedWarnings(): Warning[] {
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
  throw new WebbuildError("invalid-manifest", `${url} is not a manifest that this runtime can read`, fix);
}

async function fetchJson(url: string, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    const asked = fetch(url, { cache: "no-cache", signal: signal ?? null });
    const response = await withLimit(asked, LIMITS.stall, "the server");
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
    return await withLimit(response.json(), LIMITS.stall, "the server");
  } catch (cause) {
    if (signal?.aborted) throw abortedError(signal);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new WebbuildError("download-failed", `manifest.json: ${reason}`, `check that ${url} is deployed`, {
      cause,
    });
  }
}

/** Throws for a manifest that another version of webbuild wrote. */
function checkSchema(manifest: unknown, url: string): void {
  const { schema, generator } = Object(manifest) as { schema?: unknown; generator?: { version?: unknown } };
  if (typeof schema !== "number" || SCHEMAS.includes(schema)) return;
  const writer = `webbuild ${generator?.version ?? "of an unknown version"}`;
  const fix =
    schema > Math.max(...SCHEMAS)
      ? "deploy the runtime that was packed with it, or pack the model again with this version"
      : "pack the model again with this version of webbuild, and deploy the whole bundle";
  const what = `${url} is of schema ${schema}, written by ${writer}; this runtime reads schema ${SCHEMAS.join(" and ")}`;
  throw new WebbuildError("unsupported-schema", what, fix);
}

/** The runtime is packed with its manifest; this tells a wrong file or version, not every wrong field. */
function isManifest(value: unknown): value is Manifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "schema" in value &&
    SCHEMAS.includes(value.schema as number) &&
    "graphs" in value
  );
}
