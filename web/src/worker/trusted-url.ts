// Trusted Types: addresses of scripts, under a page's `require-trusted-types-for 'script'`. No default policy is made.

/** What webbuild needs of the browser's interface, which TypeScript's library lacks. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

interface Policy {
  /** Returns a TrustedScriptURL, which takes the place of a string. */
  createScriptURL(url: string): string;
}

/** As `trusted-types` of a content security policy names it. */
const NAME = "webbuild";

let policy: Policy | null | undefined;

/** Returns the address of a script as a worker or a service worker takes it. Throws TypeError for another origin's. */
export function trustedUrl(url: URL | string): string {
  const { href } = new URL(url, location.href);
  policy ??= createPolicy();
  return policy === null ? href : policy.createScriptURL(href);
}

/** Where the policy may not be made a string is given, which the browser refuses only if it wants Trusted Types. */
function createPolicy(): Policy | null {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  try {
    return trustedTypes?.createPolicy(NAME, { createScriptURL: ownOrigin }) ?? null;
  } catch {
    return null;
  }
}

function ownOrigin(href: string): string {
  if (new URL(href).origin === location.origin) return href;
  throw new TypeError(`${href} is not of this page's origin`);
}

/** Lets the engine start its threads, which it does by address, from scripts that are left as they were published. */
export function trustOwnWorkers(): void {
  if (!("trustedTypes" in globalThis)) return;
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(trustedUrl(url), options);
    }
  };
}
