// Trusted Types: script URLs for pages with `require-trusted-types-for 'script'`, from our own policy.

/** The part of the browser's interface that is used; TypeScript's DOM library does not have it. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

interface Policy {
  /** Returns a TrustedScriptURL, typed as the string that it replaces. */
  createScriptURL(url: string): string;
}

/** The name of the policy, for `trusted-types` in the content security policy. */
const NAME = "webbuild";

let policy: Policy | null | undefined;

/** Returns a URL that Worker and register() accept. Throws TypeError for a URL of another origin. */
export function trustedUrl(url: URL | string): string {
  const { href } = new URL(url, location.href);
  if (policy === undefined) policy = createPolicy();
  return policy === null ? href : policy.createScriptURL(href);
}

/**
 * Returns null if the policy is not allowed. Strings are then used, which fail only if Trusted Types are
 * required.
 */
function createPolicy(): Policy | null {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  try {
    return trustedTypes?.createPolicy(NAME, { createScriptURL: ownOrigin }) ?? null;
  } catch {
    return null;
  }
}

function ownOrigin(href: string): string {
  if (new URL(href).origin === globalThis.origin) return href;
  throw new TypeError(`${href} is not of this page's origin`);
}

/**
 * Makes `new Worker(url)` in the engine's scripts use a trusted URL for its threads. The scripts are used
 * unchanged.
 */
export function trustOwnWorkers(): void {
  if (!("trustedTypes" in globalThis)) return;
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(trustedUrl(url), options);
    }
  };
}
