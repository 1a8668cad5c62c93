// The browser's stored copy of a bundle: whether it is complete, and its removal.

import { graphFiles } from "../manifest/graphs.js";
import type { Manifest } from "../manifest/manifest.js";
import { everyStage } from "../manifest/stages.js";
import { removeBundle } from "../storage/bundle-lists.js";
import { deleteFindings } from "../storage/findings.js";
import { existingStores } from "../storage/storage-backends.js";
import { wrapErrors } from "./errors.js";
import { fetchManifest, resolveAddress } from "./fetch-manifest.js";

/**
 * Returns whether the browser has stored all that `load()` needs: an engine and, for each stage, a graph with
 * its weights. Fetches the manifest: files of an older version do not count. Rejects with a WebbuildError.
 */
export function isCached(manifestUrl: URL | string): Promise<boolean> {
  return wrapErrors(async () => {
    const manifest = await fetchManifest(manifestAddress(manifestUrl), undefined);
    const names = await Promise.all((await existingStores()).map((store) => store.names()));
    return isComplete(manifest, new Set(names.flat()));
  });
}

/**
 * Removes what the browser has stored for a bundle: its files, except those that another bundle also has, and
 * the findings about this machine, such as self-test verdicts. Loaded models keep working. Rejects with a
 * WebbuildError.
 */
export function clearCache(manifestUrl: URL | string): Promise<void> {
  return wrapErrors(async () => {
    const base = manifestAddress(manifestUrl);
    const stores = await existingStores();
    await Promise.all(stores.map((store) => removeBundle(store, base)));
    await deleteFindings(base);
  });
}

function manifestAddress(manifestUrl: URL | string): string {
  return resolveAddress(manifestUrl, "the URL of the manifest").href;
}

function isComplete(manifest: Manifest, kept: ReadonlySet<string>): boolean {
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  const isKept = (path: string): boolean => {
    const file = files.get(path);
    if (file === undefined) return false;
    return file.parts.length > 0 ? file.parts.every(isKept) : kept.has(file.sha256);
  };
  const stages = everyStage(manifest);
  return (
    manifest.engines.some(({ wasm }) => isKept(wasm)) &&
    stages.every(({ graphs }) => graphs.some((graph) => graphFiles(graph).every(isKept)))
  );
}
