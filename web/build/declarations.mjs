// One .d.ts for the runtime: the declarations of its public modules, one after another.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PUBLIC = [
  "manifest/manifest",
  "tasks/depth/depth-at",
  ...["coco", "cutout", "plain-json", "supervision"].map((name) => `export/${name}`),
  ...["types", "results", "errors", "state", "stream", "scene", "model", "load"].map((name) => `api/${name}`),
];
/** Types of the manifest's parts stay inside: exported, its File would shadow the DOM's in who imports all. */
const MANIFEST_PARTS = /^export (?=(?:interface|type) (?!Manifest\b))/gm;
/** Private fields make a class another one in each copy of the declarations: without them the copies are one type. */
const PRIVATE_FIELDS = /^ *#private;\n/gm;
const BETWEEN_MODULES =
  /^(?:import|export) (?:type )?(?:\{[^}]*\}|\*) from "\.[^"]*";\n|^export type \{[^}]*\};\n/gm;

export async function writeDeclarations(file) {
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
    const modules = await Promise.all(PUBLIC.map((name) => readFile(join(folder, `${name}.d.ts`), "utf8")));
    const [manifest = "", ...others] = modules.map((text) =>
      text.replace(BETWEEN_MODULES, "").replace(PRIVATE_FIELDS, ""),
    );
    await writeFile(file, [manifest.replace(MANIFEST_PARTS, ""), ...others].join("\n"));
    // A name that is in none of the public modules would be undefined in the one file.
    await tsc("--noEmit", "--strict", "--ignoreConfig", "--types", "", "--lib", "es2022,dom", file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function tsc(...words) {
  const script = `${ROOT}node_modules/typescript/bin/tsc`;
  await promisify(execFile)(process.execPath, [script, ...words]).catch(({ stdout, stderr }) => {
    throw new Error(`tsc ${words.join(" ")}\n${stdout}${stderr}`);
  });
}
