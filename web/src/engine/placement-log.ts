// Which execution provider runs which node, read from the engine's log.

import type { Placement } from "../api/types.js";

const HEADING = /(?:Node\(s\)|All nodes) placed on \[(\w+)\]\. Number of nodes: (\d+)/;
const NODE = /VerifyEachNodeIsAssignedToAnEp\]\s+(\w+) \(([^)]*)\)/;
const FAILURE = /\[[EF]:onnxruntime/;
const LEVELS = ["debug", "log", "info", "warn", "error"] as const;

export class PlacementLog {
  readonly #placements = new Map<string, Placement>();
  #current: Placement | null = null;

  /** Clears the placements before another session is created. */
  reset(): void {
    this.#placements.clear();
    this.#current = null;
  }

  /** Reads the text of one call to the console. */
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

  /** The engine lists a provider once for each subgraph. */
  #begin(provider: string, count: number): void {
    this.#current = this.#placements.get(provider) ?? { provider, count: 0, nodes: [] };
    this.#current.count += count;
    this.#placements.set(provider, this.#current);
  }
}

/** Redirects the engine's console output to `log`, except its errors. Call it before the engine is imported. */
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
