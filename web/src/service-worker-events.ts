// What TypeScript's DOM leaves out, since only service workers have it.

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}

export interface ServedRequest extends ExtendableEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

/** What `globalThis` is in a service worker. */
export interface ServiceWorkerScope {
  registration: { scope: string; active: unknown };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(name: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(name: "fetch", listener: (event: ServedRequest) => void): void;
}
