// One .d.ts for the runtime: the concatenated declarations of the modules that index.ts exports.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseSync } from "vite";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MANIFEST = "manifest/manifest.d.ts";
/** Re-exports from another module. */
const EXPORTED_MODULE = /^export (?:type )?(?:\{[^}]*\}|\*) from "(\.[^"]*)\.js";\n/gm;
/** Types of the manifest's parts are not exported: with `import *` its File would shadow the DOM's. */
const MANIFEST_PARTS = /^export (?=(?:interface|type) (?!Manifest\b))/gm;
/** Private fields make a class nominal, so that two copies of the declarations would be different types. */
const PRIVATE_FIELDS = /^ *#private;\n/gm;
/** Typed arrays are generic since TypeScript 5.7: `Float32Array<ArrayBuffer>`; older versions have `Float32Array`. */
const TYPED_ARRAYS = /\b(\w+Array)<ArrayBuffer>/g;
/** Missing in libraries before ESNext.Disposable; declaring it twice is harmless. */
const SYMBOLS = `declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}
`;
/** Without an export list, a .d.ts exports all its declarations. */
const ONLY_EXPORTS = "export {};\n";
const BETWEEN_MODULES =
  /^(?:import|export) (?:type )?(?:\{[^}]*\}|\*) from "\.[^"]*";\n|^export type \{[^}]*\};\n/gm;

/** Writes the declarations of `script` to `file`. */
export async function writeDeclarations(file, script) {
  const folder = await mkdtemp(join(tmpdir(), "webbuild-types-"));
  try {
    const emit = [
      "--noEmit",
      "false",
      "--declaration",
      "--emitDeclarationOnly",
      "--rootDir",
      `${ROOT}web/src`,
    ];
    await tsc("-p", `${ROOT}web/build/tsconfig.json`, ...emit, "--outDir", folder);
    const modules = new Map();
    await addPublicModules(folder, "index.d.ts", modules);
    modules.set(MANIFEST, modules.get(MANIFEST).replace(MANIFEST_PARTS, ""));
    const texts = [...modules.values()].map((text) =>
      text
        .replace(BETWEEN_MODULES, "")
        .replace(PRIVATE_FIELDS, "")
        .replace(TYPED_ARRAYS, "ReturnType<typeof $1.from>")
        .trim(),
    );
    await writeFile(file, `${SYMBOLS}${texts.filter((text) => text !== "").join("\n")}\n${ONLY_EXPORTS}`);
    // A name from a module that is not public would be undefined in the single file.
    checkExports(await readFile(file, "utf8"), await readFile(script, "utf8"));
    for (const lib of ["es2022,dom", "esnext,dom"])
      await tsc("--noEmit", "--strict", "--ignoreConfig", "--types", "", "--lib", lib, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds the declarations of a module, after those of the modules that it re-exports. */
async function addPublicModules(folder, name, modules) {
  if (modules.has(name)) return;
  modules.set(name, "");
  const text = await readFile(join(folder, name), "utf8");
  for (const [, path] of text.matchAll(EXPORTED_MODULE))
    await addPublicModules(folder, `${posix.join(posix.dirname(name), path)}.d.ts`, modules);
  modules.delete(name);
  modules.set(name, text);
}

/** Checks that the script exports every declared value: others would pass a type check, and fail in the browser. */
function checkExports(declarations, script) {
  const { staticExports } = parseSync("webbuild.js", script).module;
  const names = staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name));
  for (const [, name] of declarations.matchAll(/^export declare (?:class|const|function) (\w+)/gm))
    if (!names.includes(name))
      throw new Error(`${name} is declared, but the runtime does not export it: mark it @internal`);
}

export async function tsc(...words) {
  const script = `${ROOT}node_modules/typescript/bin/tsc`;
  await promisify(execFile)(process.execPath, [script, ...words]).catch(({ stdout, stderr }) => {
    throw new Error(`tsc ${words.join(" ")}\n${stdout}${stderr}`);
  });
}
