// How far a file has come that one load fetches and others wait for, in this tab or another.

import type { OnBytes } from "./receive.js";

export class SharedProgress {
  readonly #channel: BroadcastChannel;
  readonly #onBytes: OnBytes;
  /** Bytes that came to this load itself. */
  #own = 0;
  /** Bytes that the listener has heard of, whoever fetched them. */
  #reported = 0;

  /** `name` is that of the lock that the file is fetched under. */
  constructor(name: string, onBytes: OnBytes) {
    this.#onBytes = onBytes;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === "number") this.#report(data);
    };
  }

  /** Hears of bytes that came to this load, and tells the others. */
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
