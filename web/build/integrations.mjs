// The npm packages for frameworks and bundlers.

import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tsc } from "./declarations.mjs";
import { version } from "./package.mjs";

const SOURCES = fileURLToPath(new URL("../integrations/", import.meta.url));

/** Writes the packages into `outDir`. `element` is the built script of the custom element. */
export async function buildIntegrations(outDir, element) {
  await rm(outDir, { recursive: true, force: true });
  await tsc("-p", `${SOURCES}tsconfig.json`, "--outDir", outDir);
  for (const name of await readdir(outDir)) {
    const [from, to] = [`${SOURCES}${name}`, `${outDir}/${name}`];
    await copyFile(`${from}/README.md`, `${to}/README.md`);
    await copyFile(`${SOURCES}../../LICENSE`, `${to}/LICENSE`);
    const described = await readFile(`${from}/package.json`, "utf8");
    await writeFile(`${to}/package.json`, described.replaceAll('"0.0.0"', JSON.stringify(await version())));
  }
  await copyFile(element, `${outDir}/element/web-model.js`);
}
