// Finds which maps may win pixels in a row of blocks. In most blocks one map wins all pixels.

import { sigmoid } from "../activations.js";
import type { MapTap, Span } from "../depth/map-reader.js";
import { BLOCK, type BlockRows } from "./block-rows.js";

/** A map that may win pixels, and the weight of its values. */
interface Contender {
  rows: Pick<BlockRows, "least" | "most">;
  weight: number;
}

/** For each map the columns of the picture to evaluate, and the columns that one map wins completely. */
export interface ContendedRow {
  spans: Span[][];
  sole: { map: number; from: number; to: number }[];
}

/** More than the sum of all rounding errors of a value: relative, and absolute near 0. */
const SLACK = 1e-5;
const LEAST = 1e-30;

/** The state of a map in a block; 0 means that it is not evaluated. */
const CONTENDS = 1;
const WINS = 2;

/** The groups of four columns of a picture, and the blocks whose cells they are interpolated from. */
export class ColumnGroups {
  readonly #width: number;
  readonly #blocks: number;
  /**
   * For a run of blocks: groups with any pixel in it are from `begin` of its first block up to `end` of its
   * last (exclusive); groups with all pixels in it are from `wholeBegin` up to `wholeEnd`.
   */
  readonly #begin: Int32Array;
  readonly #end: Int32Array;
  readonly #wholeBegin: Int32Array;
  readonly #wholeEnd: Int32Array;

  constructor(columns: readonly MapTap[], blocks: number) {
    this.#width = columns.length;
    this.#blocks = blocks;
    const groups = Math.ceil(columns.length / 4);
    this.#begin = new Int32Array(blocks).fill(groups);
    this.#wholeBegin = this.#begin.slice();
    this.#end = new Int32Array(blocks);
    this.#wholeEnd = new Int32Array(blocks);
    for (let group = 0; group < groups; group++) {
      const own = columns.slice(group * 4, group * 4 + 4);
      const [first, last] = [blockOf(own[0]), blockOf(own.at(-1))];
      for (let block = 0; block <= last; block++)
        this.#begin[block] = Math.min(this.#begin[block] ?? 0, group);
      for (let block = first; block < blocks; block++) this.#end[block] = group + 1;
      // Outside of the input values are NaN.
      if (own.some(({ fraction }) => Number.isNaN(fraction))) continue;
      for (let block = 0; block <= first; block++)
        this.#wholeBegin[block] = Math.min(this.#wholeBegin[block] ?? 0, group);
      for (let block = last; block < blocks; block++) this.#wholeEnd[block] = group + 1;
    }
  }

  /**
   * Decides a row of blocks after all maps were measured. A map is evaluated where it may have the largest
   * value, or may reach the threshold (null if such pixels are not counted).
   */
  contended(contenders: readonly Contender[], areLogits: boolean, threshold: number | null): ContendedRow {
    const contends = contenders.map(() => new Uint8Array(this.#blocks));
    const high = new Float64Array(contenders.length);
    const reached = threshold ?? Number.NEGATIVE_INFINITY;
    for (let block = 0; block < this.#blocks; block++) {
      let floor = Number.NEGATIVE_INFINITY;
      for (let map = 0; map < contenders.length; map++) {
        const { low, high: own } = boundsOf(contenders[map], block, areLogits);
        high[map] = own;
        if (low > floor) floor = low;
      }
      let [count, last] = [0, -1];
      for (let map = 0; map < contenders.length; map++) {
        const own = high[map] ?? Number.NaN;
        if (own < floor && (threshold === null || own < threshold)) continue;
        contends[map]?.fill(CONTENDS, block, block + 1);
        [count, last] = [count + 1, map];
      }
      if (count !== 1 || !(boundsOf(contenders[last], block, areLogits).low >= reached)) continue;
      contends[last]?.fill(WINS, block, block + 1);
    }
    const sole = contends.flatMap((own, map) =>
      this.#soleSpans(own).map(([from, to]) => ({ map, from, to })),
    );
    return { spans: contends.map((own) => this.#contendedSpans(own)), sole };
  }

  /** Returns the columns with a pixel in a block where the map contends, or at the edge of its won blocks. */
  #contendedSpans(blocks: Uint8Array): Span[] {
    const spans: [number, number][] = [];
    const add = (from: number, to: number): void => {
      const before = spans.at(-1);
      if (from >= to) return;
      if (before !== undefined && from * 4 <= before[1]) before[1] = Math.max(before[1], to * 4);
      else spans.push([from * 4, to * 4]);
    };
    for (const { state, begin, end, wholeBegin, wholeEnd } of this.#groupRuns(blocks)) {
      if (state === WINS && wholeBegin < wholeEnd) {
        add(begin, wholeBegin);
        add(wholeEnd, end);
      } else if (state !== 0) add(begin, end);
    }
    return spans;
  }

  /** Returns the columns in groups that are completely in blocks where the map wins. */
  #soleSpans(blocks: Uint8Array): Span[] {
    return this.#groupRuns(blocks).flatMap(({ state, wholeBegin, wholeEnd }): Span[] =>
      state === WINS && wholeBegin < wholeEnd ? [[wholeBegin * 4, Math.min(wholeEnd * 4, this.#width)]] : [],
    );
  }

  /** Returns the groups of each run of blocks with one state: groups with any pixel in them, and with all. */
  #groupRuns(blocks: Uint8Array): GroupRun[] {
    const runs: GroupRun[] = [];
    for (let block = 0; block < blocks.length; block++) {
      const state = blocks[block] ?? 0;
      const [end, wholeEnd] = [this.#end[block] ?? 0, this.#wholeEnd[block] ?? 0];
      const run = runs.at(-1);
      if (run?.state === state) Object.assign(run, { end, wholeEnd });
      else
        runs.push({
          state,
          begin: this.#begin[block] ?? 0,
          end,
          wholeBegin: this.#wholeBegin[block] ?? 0,
          wholeEnd,
        });
    }
    return runs;
  }
}

interface GroupRun {
  state: number;
  begin: number;
  end: number;
  wholeBegin: number;
  wholeEnd: number;
}

/** Returns the bounds of a map's values in a block, including rounding. */
function boundsOf(
  contender: Contender | undefined,
  block: number,
  areLogits: boolean,
): { low: number; high: number } {
  const weight = contender?.weight ?? Number.NaN;
  const [least, most] = [
    contender?.rows.least[block] ?? Number.NaN,
    contender?.rows.most[block] ?? Number.NaN,
  ];
  const [a, b] = areLogits ? [sigmoid(least), sigmoid(most)] : [least, most];
  const slack = SLACK * weight * Math.max(Math.abs(a), Math.abs(b)) + LEAST;
  return { low: a * weight - slack, high: b * weight + slack };
}

function blockOf(tap: MapTap | undefined): number {
  return Math.floor((tap?.first ?? 0) / BLOCK);
}
