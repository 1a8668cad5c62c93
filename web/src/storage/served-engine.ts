// The engine as an answer of type application/wasm, which a service worker gives from Cache Storage. Chromium keeps the
// compiled code of such answers for the next visit; of bytes, of which a bundle's engine is made, it keeps none.

import type { File } from "../manifest/manifest.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { openBundle } from "./bundle-lists.js";
import { sha256 } from "./sha256.js";
import { cachedAddress, cachedAt, openCacheStorage } from "./storage-backends.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the compiled engine, null where this worker is not given it, or another one. */
export async function compileServed({ uncompressedSha256: name }: File): Promise<WebAssembly.Module | null> {
  if (name === undefined || !("caches" in globalThis)) return null;
  const address = cachedAddress(name);
  const compiling = async (): Promise<WebAssembly.Module | null> => {
    const kept = await cachedAt(address);
    if (kept === undefined) return null;
    // Where no service worker answers, it fails at once and without a word: the network is not asked.
    const answer = fetch(address, { mode: "same-origin", cache: "only-if-cached" });
    const [module, hash] = await Promise.all([WebAssembly.compileStreaming(answer), hashOf(kept)]);
    return hash === name ? module : null;
  };
  return withLimit(compiling(), LIMITS.storage, "the engine's code").catch(() => null);
}

async function hashOf(answer: Response): Promise<string> {
  return sha256(new Uint8Array(await answer.arrayBuffer()));
}

/** Keeps what is in the engine's file, which was checked, for the next visit of the bundle at `base`. */
export async function serveEngine(base: string, file: File, content: Bytes): Promise<void> {
  const { uncompressedSha256: name } = file;
  if (name === undefined) return;
  const store = await openCacheStorage("application/wasm");
  await openBundle(store, base, [name], LIMITS.storage);
  await store.write(name, content);
}
