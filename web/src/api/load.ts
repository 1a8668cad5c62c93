// load(): reads a bundle's manifest and returns a model that is ready to run.

import { registerServiceWorker } from "../storage/register-service-worker.js";
import { TextEncoder } from "../text/text-encoder.js";
import { wrapErrors } from "./errors.js";
import { fetchManifest, resolveAddress } from "./fetch-manifest.js";
import { Model } from "./model.js";
import { openStages } from "./open-stages.js";
import { checkLoadOptions } from "./options.js";
import { checkStageNames } from "./stage-option.js";
import type { LoadOptions, Warning } from "./types.js";

/**
 * Loads the bundle of `manifestUrl`. A relative URL is resolved against the page, in a worker against its
 * script. Rejects with a WebbuildError.
 */
export function load(manifestUrl: URL | string, options: LoadOptions = {}): Promise<Model> {
  return wrapErrors(() => open(manifestUrl, options));
}

async function open(manifestUrl: URL | string, options: LoadOptions): Promise<Model> {
  checkLoadOptions(options);
  const base = resolveAddress(manifestUrl, "the URL of the manifest").href;
  const manifest = await fetchManifest(base, options.signal);
  checkStageNames(manifest, options.backend, "backend");
  checkStageNames(manifest, options.precision, "precision");
  const { offline = false } = options;
  const address =
    offline === true ? new URL("service-worker.js", base) : offline && resolveAddress(offline, "offline");
  const stages = await openStages(manifest, base, options);
  const session = stages[0]?.session;
  session?.warn(unverifiedWarnings());
  if (address) void registerServiceWorker(address).then((warnings) => session?.warn(warnings));
  return Model.of(manifest, stages, TextEncoder.of(manifest, base, options));
}

/** Without WebCrypto only the size of a file can be checked. */
function unverifiedWarnings(): Warning[] {
  if (isSecureContext) return [];
  const message =
    "this page is neither https nor localhost: the sizes of the files were checked, but not their hashes";
  return [{ code: "unverified-files", message, fix: "serve the bundle over https" }];
}
