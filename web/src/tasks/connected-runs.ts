// Runs of pixels in the rows, or in the columns, of a mask, put together to connected components.

/** Pixels of one row or column that touch each other, from `begin` up to `end`. */
export interface Run {
  line: number;
  begin: number;
  end: number;
}

/** Groups the runs that touch each other at edges, or at `corners` too. They come line by line, from the first. */
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
    // Of the line before: the first run that reaches this one. A later run is reached no sooner.
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
