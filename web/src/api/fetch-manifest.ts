// Fetches and checks a bundle's manifest. It is not cached, so that a new version is noticed.

import type { Manifest } from "../manifest/manifest.js";
import { inWords, wrongField } from "../manifest/wrong-field.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { abortedError, errorMessage, WebbuildError } from "./errors.js";

/** The versions of the manifest's schema that this runtime reads. */
const SCHEMAS: readonly number[] = [1, 2] satisfies Manifest["schema"][];

/** @internal Returns an absolute URL, resolved against the page, in a worker against its script. */
export function resolveAddress(address: URL | string, what: string): URL {
  try {
    return new URL(address, globalThis.document?.baseURI ?? location.href);
  } catch (cause) {
    const fix = "give an absolute URL, or one relative to the page";
    throw new WebbuildError("invalid-option", `${what}: ${JSON.stringify(address)} is not a valid URL`, fix, {
      cause,
    });
  }
}

/** @internal Throws `download-failed`, `invalid-manifest`, `unsupported-schema` and `aborted`. */
export async function fetchManifest(url: string, signal: AbortSignal | undefined): Promise<Manifest> {
  if (signal?.aborted) throw abortedError(signal);
  const manifest = await fetchJson(url, signal);
  checkSchema(manifest, url);
  checkFields(manifest, url);
  return manifest;
}

async function fetchJson(url: string, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    const request = fetch(url, { cache: "no-cache", signal: signal ?? null });
    const response = await withLimit(request, LIMITS.stall, "the server");
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
    return await withLimit(response.json(), LIMITS.stall, "the server");
  } catch (cause) {
    if (signal?.aborted) throw abortedError(signal);
    const reason = errorMessage(cause);
    throw new WebbuildError("download-failed", `manifest.json: ${reason}`, `check that ${url} is deployed`, {
      cause,
    });
  }
}

/** Throws for a field that the schema does not allow. Contradicting fields are found where they are read. */
function checkFields(manifest: unknown, url: string): asserts manifest is Manifest {
  const wrong = wrongField(manifest);
  if (wrong === null) return;
  const fix = "pack the model again, and deploy the manifest and the runtime of one pack together";
  throw new WebbuildError("invalid-manifest", `${url}: ${inWords(wrong)}`, fix);
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
