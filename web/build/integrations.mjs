// The packages for frameworks and bundlers, each as npm publishes it.

import { copyFile, readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tsc } from "./declarations.mjs";

const SOURCES = fileURLToPath(new URL("../integrations/", import.meta.url));

/** Writes them into `outDir`. `element` is the built script of the custom element. */
export async function buildIntegrations(outDir, element) {
  await rm(outDir, { recursive: true, force: true });
  await tsc("-p", `${SOURCES}tsconfig.json`, "--outDir", outDir);
  for (const name of await readdir(outDir)) {
    for (const file of ["package.json", "README.md"])
      await copyFile(`${SOURCES}${name}/${file}`, `${outDir}/${name}/${file}`);
    await copyFile(`${SOURCES}../../LICENSE`, `${outDir}/${name}/LICENSE`);
  }
  await copyFile(element, `${outDir}/element/web-model.js`);
}
