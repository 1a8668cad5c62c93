// Types that are missing in TypeScript's DOM library, since only service workers have them.

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}

export interface ServedRequest extends ExtendableEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

/** The type of `globalThis` in a service worker. */
export interface ServiceWorkerScope {
  registration: { scope: string; active: unknown };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(name: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(name: "fetch", listener: (event: ServedRequest) => void): void;
}
