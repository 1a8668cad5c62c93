// The bundle's loader, imported by the address that the page carries, so that one page fits every bundle.

import type { LoadOptions, Model, similar } from "../../src/index.js";

export type Load = (options?: LoadOptions) => Promise<Model>;

/** What the page uses of the bundle's module. */
interface Bundle {
  load: Load;
  similar: typeof similar;
}

export async function importLoader(entry: string): Promise<Load> {
  return (await importBundle(entry)).load;
}

export function importBundle(entry: string): Promise<Bundle> {
  const address = new URL(entry, document.baseURI).href;
  return import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address);
}
