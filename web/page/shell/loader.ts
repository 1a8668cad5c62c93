// Imports the bundle's loader by the URL in the page, so that one page works for every bundle.

import type { LoadOptions, Model, similar } from "../../src/index.js";

export type Load = (options?: LoadOptions) => Promise<Model>;

/** The exports of the bundle's module that the page uses. */
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
