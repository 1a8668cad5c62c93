// The runtime: the page's script and the worker as two files, so that it works under a worker-src 'self' policy; and
// the third-party tokenizer, which only the workers of some bundles import.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { packagesInside } from "./inside.mjs";
import { buildModule } from "./modules.mjs";

const source = (file) => fileURLToPath(new URL(`../src/${file}`, import.meta.url));

const FZSTD = fileURLToPath(new URL("../../node_modules/fzstd/LICENSE", import.meta.url));

/** Copies the licence of fzstd, which is in every bundle's worker, and lists all included packages. */
export async function copyLicenses(outDir) {
  await mkdir(outDir, { recursive: true });
  await copyFile(FZSTD, `${outDir}/fzstd.txt`);
  const packages = (await packagesInside()).map(({ name, version, license }) => ({ name, version, license }));
  await writeFile(`${outDir}/packages.json`, `${JSON.stringify(packages, null, 2)}\n`);
}

export async function buildRuntime(outDir) {
  const shipped = { outDir, minify: true, sourceMap: true };
  await buildModule({ ...shipped, entry: source("index.ts"), name: "webbuild" });
  // Without an import or export, other people's bundlers would treat it as CommonJS.
  await buildModule({ ...shipped, entry: source("worker.ts"), name: "worker", footer: "export {};" });
  await buildModule({ entry: source("tokenizer.ts"), name: "tokenizer", outDir, minify: true });
  await buildModule({ entry: source("service-worker.ts"), name: "service-worker", outDir });
  await buildModule({ entry: source("engine-service-worker.ts"), name: "engine-service-worker", outDir });
}
