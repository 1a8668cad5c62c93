// A bundle's manifest: fetched each time, so that a new version is seen.

import type { File, Manifest } from "../manifest/manifest.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { abortedError, WebbuildError } from "./errors.js";

/** The schemas of a manifest that are read. */
const SCHEMAS: readonly number[] = [1, 2] satisfies Manifest["schema"][];

/** @internal Returns an absolute address: a relative one is the page's, in a worker its script's. */
export function resolved(address: URL | string, what: string): URL {
  try {
    return new URL(address, globalThis.document?.baseURI ?? location.href);
  } catch (cause) {
    const fix = "give an absolute address, or one relative to the page";
    throw new WebbuildError("invalid-option", `${what}: ${JSON.stringify(address)} is none`, fix, { cause });
  }
}

/** @internal Throws `download-failed`, `invalid-manifest`, `unsupported-schema` and `aborted`. */
export async function fetchManifest(url: string, signal: AbortSignal | undefined): Promise<Manifest> {
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

const LISTS = ["inputs", "outputs", "graphs", "disabledTargets", "engines", "files"] as const;
const OPTIONAL_LISTS = ["stages", "variants"] as const;
const ENCODINGS: readonly unknown[] = ["identity", "gzip", "zstd"] satisfies File["encoding"][];
const LENGTHS = ["size", "uncompressedSize"] as const;

/**
 * The runtime is packed with its manifest; this tells a wrong file or version, and what files are fetched and how large they
 * are. Not every wrong field.
 */
function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || !SCHEMAS.includes(value.schema as number)) return false;
  return (
    [value.task, value.engine].every(isRecord) &&
    [...LISTS, ...OPTIONAL_LISTS.filter((name) => value[name] !== undefined)].every((name) =>
      isList(value[name]),
    ) &&
    [value, ...((value.stages ?? []) as Fields[]), ...textEncoderOf(value)].every(
      ({ graphs }) => isList(graphs) && graphs.every(isGraph),
    ) &&
    (value.files as Fields[]).every(isFile)
  );
}

function textEncoderOf({ textEncoder }: Fields): Fields[] {
  return textEncoder === undefined ? [] : [Object(textEncoder) as Fields];
}

type Fields = Record<string, unknown>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.every(isRecord);
}

function isGraph({ file, weights }: Fields): boolean {
  return typeof file === "string" && Array.isArray(weights);
}

function isFile(file: Fields): boolean {
  const lengths = LENGTHS.every((name) => Number.isSafeInteger(file[name]) && (file[name] as number) >= 0);
  const texts = [file.path, file.sha256].every((each) => typeof each === "string");
  return lengths && texts && ENCODINGS.includes(file.encoding) && isPaths(file.parts);
}

function isPaths(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
