// The size of a video's frames: where it changes, tracks begin again.

export class FrameSize {
  #size = "";

  /** Returns whether this frame has another size than the one before; true for the first. */
  changesTo({ width, height }: { width: number; height: number }): boolean {
    const before = this.#size;
    this.#size = `${width}x${height}`;
    return this.#size !== before;
  }
}
