// The minimum-cost assignment, as lap.lapjv with a cost limit: shortest augmenting paths (Jonker, Volgenant).

/** The columns that a row may be assigned to, with their costs: at least 0 and below the limit. */
export type Row = readonly { column: number; cost: number }[];

export interface Assignment {
  /** The column of each row, -1 for none. */
  columns: Int32Array;
  /** The number of costs that were compared. */
  work: number;
}

/** After this much work the other rows get their cheapest free column: thousands of boxes may overlap. */
const MOST_WORK = 2e6;

/**
 * Returns the assignment with the least sum of costs, where a row without a column costs `limit`. A search
 * only visits rows and columns that are connected with a row: with many small groups of overlapping boxes the
 * time is proportional to their number.
 */
export function assign(rows: readonly Row[], columnCount: number, limit: number): Assignment {
  const columns = new Int32Array(rows.length).fill(-1);
  const rowOf = new Int32Array(columnCount).fill(-1);
  const search = new Search(rows, columns, rowOf, limit);
  for (let row = 0; row < rows.length; row++) {
    if (search.work < MOST_WORK) search.augment(row);
    else takeCheapest(rows[row] ?? [], row, columns, rowOf);
  }
  return { columns, work: search.work };
}

function takeCheapest(edges: Row, row: number, columns: Int32Array, rowOf: Int32Array): void {
  const free = edges.filter(({ column }) => rowOf[column] === -1);
  if (free.length === 0) return;
  const { column } = free.reduce((best, edge) => (edge.cost < best.cost ? edge : best));
  columns[row] = column;
  rowOf[column] = row;
}

class Search {
  work = 0;
  readonly #rows: readonly Row[];
  readonly #columns: Int32Array;
  readonly #rowOf: Int32Array;
  readonly #limit: number;
  /** Potentials: cost - rowPotential - columnPotential is at least 0, and 0 for assigned pairs. */
  readonly #rowPotential: Float64Array;
  readonly #columnPotential: Float64Array;
  /** By column, for the current search: its distance from the first row, and the row before it. */
  readonly #distance: Float64Array;
  readonly #before: Int32Array;
  /** 1 for a column whose distance is final: rounding must not lead back to it. */
  readonly #closed: Uint8Array;

  constructor(rows: readonly Row[], columns: Int32Array, rowOf: Int32Array, limit: number) {
    this.#rows = rows;
    this.#columns = columns;
    this.#rowOf = rowOf;
    this.#limit = limit;
    this.#rowPotential = new Float64Array(rows.length);
    this.#columnPotential = new Float64Array(rowOf.length);
    this.#distance = new Float64Array(rowOf.length).fill(Number.POSITIVE_INFINITY);
    this.#before = new Int32Array(rowOf.length).fill(-1);
    this.#closed = new Uint8Array(rowOf.length);
  }

  /** Assigns a row, or leaves it or another row unassigned, whichever costs least (Dijkstra's algorithm). */
  augment(first: number): void {
    const open: number[] = [];
    const done: number[] = [];
    let end = { row: first, column: -1, distance: Number.POSITIVE_INFINITY };
    for (let row = first, distance = 0; ; ) {
      const alone = distance + this.#limit - at(this.#rowPotential, row);
      if (alone < end.distance) end = { row, column: -1, distance: alone };
      this.#relax(row, distance, open);
      const column = this.#nearest(open);
      if (column === -1) break;
      if (at(this.#distance, column) >= end.distance) {
        open.push(column);
        break;
      }
      distance = at(this.#distance, column);
      row = at(this.#rowOf, column);
      if (row === -1) {
        end = { row: at(this.#before, column), column, distance };
        break;
      }
      done.push(column);
      this.#closed[column] = 1;
    }
    this.#adjust(first, done, end.distance);
    this.#flip(end.row, end.column, first);
    for (const column of [...open, ...done, end.column]) {
      if (column === -1) continue;
      this.#distance[column] = Number.POSITIVE_INFINITY;
      this.#closed[column] = 0;
    }
  }

  #relax(row: number, distance: number, open: number[]): void {
    for (const { column, cost } of this.#rows[row] ?? []) {
      this.work++;
      if (this.#closed[column] === 1) continue;
      const reduced = cost - at(this.#rowPotential, row) - at(this.#columnPotential, column);
      const known = at(this.#distance, column);
      if (distance + reduced >= known) continue;
      if (known === Number.POSITIVE_INFINITY) open.push(column);
      this.#distance[column] = distance + reduced;
      this.#before[column] = row;
    }
  }

  /** Removes and returns the nearest open column; -1 if there is none. */
  #nearest(open: number[]): number {
    this.work += open.length;
    let best = 0;
    for (let index = 1; index < open.length; index++)
      if (at(this.#distance, at(open, index)) < at(this.#distance, at(open, best))) best = index;
    const column = open[best] ?? -1;
    const last = open.pop();
    if (best < open.length && last !== undefined) open[best] = last;
    return column;
  }

  #adjust(first: number, done: readonly number[], distance: number): void {
    this.#rowPotential[first] = at(this.#rowPotential, first) + distance;
    for (const column of done) {
      const less = distance - at(this.#distance, column);
      const row = at(this.#rowOf, column);
      this.#columnPotential[column] = at(this.#columnPotential, column) - less;
      this.#rowPotential[row] = at(this.#rowPotential, row) + less;
    }
  }

  /** Follows the path back from its end: each row on it gets the column after it. */
  #flip(end: number, given: number, first: number): void {
    for (let row = end, column = given; ; row = at(this.#before, column)) {
      const old = at(this.#columns, row);
      this.#columns[row] = column;
      if (column !== -1) this.#rowOf[column] = row;
      if (row === first) return;
      column = old;
    }
  }
}

function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? Number.NaN;
}
