// The engine as a response of type application/wasm, which a service worker serves from Cache Storage.
// Chromium caches the compiled code of such responses for the next visit, but not that of a module compiled
// from bytes.

import type { File } from "../manifest/manifest.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { openBundle } from "./bundle-lists.js";
import { sha256 } from "./sha256.js";
import { cachedAddress, cachedAt, openEngineStore } from "./storage-backends.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the compiled engine; null if no engine, or a different one, is served to this worker. */
export async function compileServed({ uncompressedSha256: name }: File): Promise<WebAssembly.Module | null> {
  if (name === undefined || !("caches" in globalThis)) return null;
  const compiling = async (): Promise<WebAssembly.Module | null> => {
    const address = cachedAddress(name); // a sandboxed page has none
    const cached = await cachedAt(address);
    if (cached === undefined) return null;
    // "only-if-cached": without a service worker this fails at once, without a network request.
    const response = fetch(address, { mode: "same-origin", cache: "only-if-cached" });
    const [module, hash] = await Promise.all([WebAssembly.compileStreaming(response), hashOf(cached)]);
    return hash === name ? module : null;
  };
  return withLimit(compiling(), LIMITS.storage, "the engine's code").catch(() => null);
}

async function hashOf(response: Response): Promise<string> {
  return sha256(new Uint8Array(await response.arrayBuffer()));
}

/**
 * Stores the content of the engine's file, already checked, for the next visit of the bundle at `base`. Null:
 * it is stored, and only the bundle's list is renewed.
 */
export async function storeServed(base: string, file: File, content: Bytes | null): Promise<void> {
  const { uncompressedSha256: name } = file;
  if (name === undefined) return;
  const store = await openEngineStore();
  await openBundle(store, base, [name], LIMITS.storage);
  if (content !== null) await store.write(name, content);
}
