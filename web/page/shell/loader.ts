// The bundle's loader, imported by the address that the page carries, so that one page fits every bundle.

import type { LoadOptions, Model } from "../../src/index.js";

export type Load = (options?: LoadOptions) => Promise<Model>;

export async function importLoader(entry: string): Promise<Load> {
  const address = new URL(entry, document.baseURI).href;
  const module: { load: Load } = await import(
    /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address
  );
  return module.load;
}
