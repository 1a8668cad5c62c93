// The cases shared by Python and TypeScript: every file of a folder in conformance/.

const FILES = import.meta.glob<unknown>("../../../conformance/*/*.json", { eager: true, import: "default" });

/** Returns [name, case] of every file in the folder. Throws for an empty folder, which would test nothing. */
export function casesOf<Case>(name: string): [string, Case][] {
  const found = Object.entries(FILES).filter(([path]) => path.includes(`/conformance/${name}/`));
  if (found.length === 0) throw new Error(`conformance/${name} holds no cases`);
  return found.map(([path, content]) => [path.replace(/^.*\/|\.json$/g, ""), content as Case]);
}
