// load(): a bundle's manifest into a model that is ready to run.

import { registerServiceWorker } from "../storage/register-service-worker.js";
import { TextEncoder } from "../text/text-encoder.js";
import { guarded } from "./errors.js";
import { fetchManifest, resolved } from "./fetch-manifest.js";
import { Model } from "./model.js";
import { openStages } from "./open-stages.js";
import { checkLoadOptions } from "./options.js";
import { checkStageNames } from "./stage-option.js";
import type { LoadOptions, Warning } from "./types.js";

/**
 * Loads the bundle of `manifestUrl`, a relative one against the page, in a worker against its script. Rejects with a
 * WebbuildError.
 */
export function load(manifestUrl: URL | string, options: LoadOptions = {}): Promise<Model> {
  return guarded(() => open(manifestUrl, options));
}

async function open(manifestUrl: URL | string, options: LoadOptions): Promise<Model> {
  checkLoadOptions(options);
  const base = resolved(manifestUrl, "the address of the manifest").href;
  const whole = await fetchManifest(base, options.signal);
  checkStageNames(whole, options.backend, "backend");
  checkStageNames(whole, options.precision, "precision");
  const { offline = false } = options;
  const address =
    offline === true ? new URL("service-worker.js", base) : offline && resolved(offline, "offline");
  const stages = await openStages(whole, base, options);
  const session = stages[0]?.session;
  session?.warn(unverifiedWarnings());
  if (address) void registerServiceWorker(address).then((warnings) => session?.warn(warnings));
  return Model.of(whole, stages, TextEncoder.of(whole, base, options));
}

/** Without WebCrypto a file's size is all that can be checked. */
function unverifiedWarnings(): Warning[] {
  if (isSecureContext) return [];
  const message =
    "this page is neither https nor localhost: the sizes of the files were checked, their hashes not";
  return [{ code: "unverified-files", message, fix: "serve the bundle over https" }];
}
