// A picture's labels as runs of equal labels in a row. Most pictures have few runs in a row.

type Labels = Int32Array | Uint8Array;

export class LabelRuns {
  readonly #ends: number[] = [];
  readonly #labels: number[] = [];
  #pixels = 0;

  /** Returns the runs of a whole picture. `stride` is the number of labels from a row to the next. */
  static of(labels: Labels, width: number, stride = width): LabelRuns {
    const runs = new LabelRuns();
    for (let at = 0; at < labels.length; at += stride) runs.addRow(labels.subarray(at, at + width));
    return runs;
  }

  /** The number of pixels. */
  get pixels(): number {
    return this.#pixels;
  }

  /** Adds the next row. */
  addRow(row: Labels): void {
    for (let at = 0; at < row.length; ) {
      const label = row[at] ?? 0;
      do at++;
      while (at < row.length && row[at] === label);
      this.#ends.push(this.#pixels + at);
      this.#labels.push(label);
    }
    this.#pixels += row.length;
  }

  /** Calls `visit` with the label of each run, its first pixel, and the one after its last. */
  forEach(visit: (label: number, begin: number, end: number) => void): void {
    let begin = 0;
    for (let run = 0; run < this.#ends.length; run++) {
      const end = this.#ends[run] ?? 0;
      visit(this.#labels[run] ?? 0, begin, end);
      begin = end;
    }
  }

  /** Returns the number of pixels of each label from 0 to `most`. */
  count(most: number): number[] {
    const pixels: number[] = Array(most + 1).fill(0);
    this.forEach((label, begin, end) => {
      pixels[label] = (pixels[label] ?? 0) + end - begin;
    });
    return pixels;
  }

  /** Writes the number of each run's label to the run's pixels. */
  paint<T extends Uint16Array | Int32Array>(map: T, numberOf: (label: number) => number): T {
    this.forEach((label, begin, end) => {
      const number = numberOf(label);
      if (number !== 0) map.fill(number, begin, end);
    });
    return map;
  }
}
