// Groups runs of pixels in the rows, or in the columns, of a mask into connected components.

/** Adjacent pixels of one row or column, from `begin` up to `end` (exclusive). */
export interface Run {
  line: number;
  begin: number;
  end: number;
}

/** Groups runs that touch at edges, or with `corners` also at corners. Runs are sorted by line. */
export function connectedRuns(runs: readonly Run[], corners: boolean): Run[][] {
  const reach = corners ? 1 : 0;
  const parents = Int32Array.from(runs.keys());
  const rootOf = (index: number): number => {
    let root = index;
    for (let next = parents[root] ?? root; next !== root; next = parents[root] ?? root) {
      parents[root] = parents[next] ?? next;
      root = next;
    }
    return root;
  };
  let left = 0;
  for (const [index, { line, begin, end }] of runs.entries()) {
    // Advances to the first run of the previous line that may touch this one. It never moves back.
    const isBefore = (each: Run | undefined): boolean =>
      each !== undefined && (each.line < line - 1 || (each.line === line - 1 && each.end + reach <= begin));
    while (left < index && isBefore(runs[left])) left++;
    for (let at = left; at < index; at++) {
      const other = runs[at];
      if (other === undefined || other.line === line || other.begin >= end + reach) break;
      parents[rootOf(at)] = rootOf(index);
    }
  }
  const regions = new Map<number, Run[]>();
  for (const [index, run] of runs.entries()) {
    const root = rootOf(index);
    const region = regions.get(root);
    if (region === undefined) regions.set(root, [run]);
    else region.push(run);
  }
  return [...regions.values()];
}
