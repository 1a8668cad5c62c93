// The worker's half of WorkerClient.

import { HeldLock } from "./held-lock.js";

/** The first request of each: a lock, which the worker holds for as long as it lives. */
export interface LockRequest {
  lock: string;
}

/** What a worker is to what it serves. */
interface Scope {
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  postMessage(answer: unknown): void;
}

export function serveRequests<Request>(scope: Scope, answer: (request: Request) => unknown): void {
  scope.addEventListener("message", ({ data }: MessageEvent<LockRequest | Request>) => {
    if (isLockRequest(data)) void new HeldLock().hold(data.lock).then((isHeld) => scope.postMessage(isHeld));
    else scope.postMessage(answer(data));
  });
}

function isLockRequest(data: unknown): data is LockRequest {
  return "lock" in Object(data);
}
