// The built runtime, as a bundle has it, for the tests.

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    required: string;
  }
}

type Runtime = typeof import("../src/index.js");

export const bundle = (path: string): URL => new URL(`/bundle/${path}`, location.origin);

export const runtime: Runtime = await import(/* @vite-ignore */ bundle("runtime/webbuild.js").href);

const adapter = (await navigator.gpu?.requestAdapter()) ?? null;

/** Whether tests of WebGPU can run. Where WEBBUILD_REQUIRE=webgpu they must. */
export const hasWebgpu = adapter !== null || inject("required") === "webgpu";

export async function picture(name: string): Promise<Blob> {
  const response = await fetch(new URL(`./fixture/pictures/${name}`, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.blob();
}
