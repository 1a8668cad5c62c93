// Does something when a call to a worker has been posted: the worker has it, and its answer has not come.

/** Calls `then` right after the next call of this method of WorkerHost. */
export function whenPosted(method: string, then: () => void): void {
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...given: never) {
    postMessage.apply(this, given);
    if (Object(given[0]).path?.join(".") !== method) return;
    MessagePort.prototype.postMessage = postMessage;
    then();
  } as typeof postMessage;
}
