// The demo page's script and style, and the custom element that shows a model on any other page.

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildModule } from "./modules.mjs";

const ENTRY = fileURLToPath(new URL("../page/page.ts", import.meta.url));
const ELEMENT = fileURLToPath(new URL("../integrations/element/index.ts", import.meta.url));

export async function buildPage(outDir) {
  if (!existsSync(ENTRY)) {
    console.warn(`no page: ${ENTRY} is not there`);
    return;
  }
  await rm(outDir, { recursive: true, force: true });
  await buildModule({ entry: ENTRY, name: "page", outDir });
  await buildModule({ entry: ELEMENT, name: "web-model", outDir, minify: true });
}
