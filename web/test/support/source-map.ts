// Reads source maps: https://tc39.es/ecma426/

interface SourceMap {
  sources: string[];
  sourcesContent: (string | null)[];
  mappings: string;
}

/** Returns the source map that a script names. */
export async function sourceMapOf(script: URL): Promise<SourceMap> {
  const [, file] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(await (await fetch(script)).text()) ?? [];
  if (file === undefined) throw new Error(`${script.href} names no source map`);
  return (await fetch(new URL(file, script))).json();
}

/** Returns the source and the line of a position in the script. Lines and columns count from 1, as in a stack. */
export function originOf(map: SourceMap, line: number, column: number): { source: string; text: string } {
  let [source, sourceLine] = [0, 0];
  let found = [source, sourceLine] as const;
  for (const [index, segments] of map.mappings.split(";").slice(0, line).entries()) {
    let at = 0;
    for (const segment of segments.split(",").filter((text) => text !== "")) {
      const [byColumn = 0, bySource = 0, byLine = 0] = decoded(segment);
      [at, source, sourceLine] = [at + byColumn, source + bySource, sourceLine + byLine];
      if (index === line - 1 && at < column) found = [source, sourceLine];
    }
  }
  const [name = "", content = ""] = [map.sources[found[0]], map.sourcesContent[found[0]]];
  return { source: name, text: content?.split("\n")[found[1]]?.trim() ?? "" };
}

/** Decodes a segment's base64 VLQ numbers: groups of 5 bits, the lowest first, with the sign in the lowest bit. */
function decoded(segment: string): number[] {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = digits.indexOf(letter);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
