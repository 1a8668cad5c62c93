// The progress of a file that one load fetches and others wait for, in this tab or another.

import type { OnBytes } from "./receive.js";

export class SharedProgress {
  readonly #channel: BroadcastChannel;
  readonly #onBytes: OnBytes;
  /** Bytes that this load fetched. */
  #own = 0;
  /** Bytes that were reported to the listener, fetched by any load. */
  #reported = 0;

  /** `name` is the name of the lock under which the file is fetched. */
  constructor(name: string, onBytes: OnBytes) {
    this.#onBytes = onBytes;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === "number") this.#report(data);
    };
  }

  /** Reports bytes that this load fetched, to its listener and to the other loads. */
  readonly onBytes: OnBytes = (count) => {
    this.#own += count;
    this.#channel.postMessage(this.#own);
    this.#report(this.#own);
  };

  close(): void {
    this.#channel.close();
  }

  #report(bytes: number): void {
    if (bytes <= this.#reported) return;
    this.#onBytes(bytes - this.#reported);
    this.#reported = bytes;
  }
}
