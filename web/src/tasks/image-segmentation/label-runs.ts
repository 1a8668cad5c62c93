// A picture's labels as runs: of equal ones side by side in a row. Most pictures have a few in a row.

type Labels = Int32Array | Uint8Array;

export class LabelRuns {
  readonly #ends: number[] = [];
  readonly #labels: number[] = [];
  #pixels = 0;

  /** Takes the labels of a whole picture; `stride` lie between the first of a row and of the next. */
  static of(labels: Labels, width: number, stride = width): LabelRuns {
    const runs = new LabelRuns();
    for (let at = 0; at < labels.length; at += stride) runs.addRow(labels.subarray(at, at + width));
    return runs;
  }

  /** How many pixels there are. */
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

  /** Calls `visit` with the label of each run, its first pixel and the one after its last. */
  forEach(visit: (label: number, begin: number, end: number) => void): void {
    let begin = 0;
    for (let run = 0; run < this.#ends.length; run++) {
      const end = this.#ends[run] ?? 0;
      visit(this.#labels[run] ?? 0, begin, end);
      begin = end;
    }
  }

  /** How many pixels have each label from 0 to `most`. */
  count(most: number): number[] {
    const pixels: number[] = Array(most + 1).fill(0);
    this.forEach((label, begin, end) => {
      pixels[label] = (pixels[label] ?? 0) + end - begin;
    });
    return pixels;
  }

  /** Paints the runs, each with the number that its label stands for. */
  paint<T extends Uint16Array | Int32Array>(map: T, numberOf: (label: number) => number): T {
    this.forEach((label, begin, end) => {
      const number = numberOf(label);
      if (number !== 0) map.fill(number, begin, end);
    });
    return map;
  }
}
