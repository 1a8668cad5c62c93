// Which provider runs which node, read from the engine's own log.

import type { Placement } from "../api/types.js";

const HEADING = /(?:Node\(s\)|All nodes) placed on \[(\w+)\]\. Number of nodes: (\d+)/;
const NODE = /VerifyEachNodeIsAssignedToAnEp\]\s+(\w+) \(([^)]*)\)/;
const FAILURE = /\[[EF]:onnxruntime/;
const LEVELS = ["debug", "log", "info", "warn", "error"] as const;

export class PlacementLog {
  readonly #placements = new Map<string, Placement>();
  #current: Placement | null = null;

  /** Forgets what it has read: what comes next is of another session. */
  reset(): void {
    this.#placements.clear();
    this.#current = null;
  }

  /** Reads what one call to the console wrote. */
  read(text: string): void {
    for (const line of text.split("\n")) this.#readLine(line);
  }

  placement(): Placement[] {
    return [...this.#placements.values()];
  }

  #readLine(line: string): void {
    const [heading, provider, count] = HEADING.exec(line) ?? [];
    if (heading !== undefined) this.#begin(provider ?? "", Number(count));
    const [node, op, name] = NODE.exec(line) ?? [];
    if (node !== undefined) this.#current?.nodes.push({ op: op ?? "", name: name ?? "" });
  }

  /** A provider comes again for every subgraph. */
  #begin(provider: string, count: number): void {
    this.#current = this.#placements.get(provider) ?? { provider, count: 0, nodes: [] };
    this.#current.count += count;
    this.#placements.set(provider, this.#current);
  }
}

/** Sends what the engine writes to the console to `log` instead. Call it before the engine is imported. */
export function redirectConsole(log: PlacementLog): PlacementLog {
  const error = console.error.bind(console);
  for (const level of LEVELS) {
    console[level] = (...words: unknown[]) => {
      const text = words.join(" ");
      log.read(text);
      if (FAILURE.test(text)) error(text);
    };
  }
  return log;
}
