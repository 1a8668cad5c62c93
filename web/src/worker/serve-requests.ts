// The worker's side of WorkerClient: answers each message with one message.

import { HeldLock } from "./held-lock.js";

/** The first request to a worker: the lock that it holds as long as it lives. */
export interface LockRequest {
  lock: string;
}

/** The worker's global scope. */
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
