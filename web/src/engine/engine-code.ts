// The compiled code of engines, for the workers that the page starts later.

import type { Manifest } from "../manifest/manifest.js";

/** Code of one engine's file; null until a worker has compiled it. Held by each model that is in a worker with it. */
export interface EngineCode {
  module: WebAssembly.Module | null;
}

/**
 * Whether workers are given the code of one another. Firefox holds with it what each of them adds: 130 MB more in a page whose
 * engine is started again, and 0.25 MB more with each further start (measured, Firefox 153).
 */
export function sharesCode(): boolean {
  return !navigator.userAgent.includes("Firefox/");
}

/** Weak, so that nothing stays when no model is left; until it is collected the next model compiles nothing. */
const codes = new Map<string, WeakRef<EngineCode>>();

/** Returns the code of a file of the bundle at `base`, the same for every model of this page that is of that file. */
export function engineCodeOf(
  wasm: string,
  { files }: Manifest,
  base: string,
  addresses: Readonly<Record<string, string>>,
): EngineCode {
  const hash = files.find((file) => file.path === wasm)?.sha256;
  const address = Object.hasOwn(addresses, wasm) ? addresses[wasm] : wasm;
  const key = `${hash} ${address} ${base}`;
  const known = codes.get(key)?.deref();
  if (known) return known;
  const code = { module: null };
  codes.set(key, new WeakRef(code));
  return code;
}
