// The npm package @webbuild/runtime: the runtime of every bundle, its types, and the licences of included packages.

import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { packagesInside } from "./inside.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPTS = ["webbuild.js", "worker.js", "tokenizer.js"];
const SOURCE_MAPS = ["webbuild.js.map", "worker.js.map"];
const RUNTIME = [...SCRIPTS, ...SOURCE_MAPS, "webbuild.d.ts"];

/** Writes the package to `out` from the runtime in `built`, with the Python package's version. */
export async function buildPackage(built, out) {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const file of RUNTIME) await copyFile(`${built}/${file}`, `${out}/${file}`);
  for (const file of ["index.js", "README.md"])
    await copyFile(`${ROOT}web/package/${file}`, `${out}/${file}`);
  await copyFile(`${ROOT}LICENSE`, `${out}/LICENSE`);
  await writeFile(`${out}/THIRD_PARTY_NOTICES.txt`, await notices());
  const { name, ...described } = JSON.parse(await readFile(`${ROOT}web/package/package.json`, "utf8"));
  const whole = { name, version: await version(), ...described };
  await writeFile(`${out}/package.json`, `${JSON.stringify(whole, null, 2)}\n`);
}

/** Returns the version of the Python package, which all packages share. */
export async function version() {
  const source = await readFile(`${ROOT}webbuild/__init__.py`, "utf8");
  const found = /^__version__ = "(.+)"$/m.exec(source)?.[1];
  if (found === undefined) throw new Error("webbuild/__init__.py names no version");
  return found;
}

async function notices() {
  const parts = (await packagesInside()).map(
    async ({ name, version, file }) =>
      `This package contains ${name} ${version}:\n\n${await readFile(file, "utf8")}`,
  );
  return (await Promise.all(parts)).join(`\n${"=".repeat(80)}\n\n`);
}
