// The demo page's script and style, and the element that shows a model on any other page.

import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildModule } from "./modules.mjs";

const ENTRY = fileURLToPath(new URL("../page/page.ts", import.meta.url));
const ELEMENT = fileURLToPath(new URL("../integrations/element/index.ts", import.meta.url));
const IGNORED = "/* @vite-ignore *//* webpackIgnore: true *//* turbopackIgnore: true */";

export async function buildPage(outDir) {
  if (!existsSync(ENTRY)) {
    console.warn(`no page: ${ENTRY} is not there`);
    return;
  }
  await rm(outDir, { recursive: true, force: true });
  await buildModule({ entry: ENTRY, name: "page", outDir });
  await buildModule({ entry: ELEMENT, name: "web-model", outDir, minify: true });
  await keepImports(`${outDir}/web-model.js`);
}

/** What the element imports is at an address: says so to bundlers, in comments that minifying took out. */
async function keepImports(file) {
  const code = await readFile(file, "utf8");
  await writeFile(file, code.replaceAll(/\bimport\(/g, `import(${IGNORED}`));
}
