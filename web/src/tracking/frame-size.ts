// The size of a video's frames: if it changes, tracks start again.

export class FrameSize {
  #size = "";

  /** Returns whether this frame has another size than the previous one; true for the first. */
  changesTo({ width, height }: { width: number; height: number }): boolean {
    const before = this.#size;
    this.#size = `${width}x${height}`;
    return this.#size !== before;
  }
}
