// Builds everything of the browser half into webbuild/_web: `npm run build`, or one part: `npm run build -- runtime`.

import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { writeDeclarations } from "./declarations.mjs";
import { copyEngine } from "./engine.mjs";
import { buildPage } from "./page.mjs";
import { buildRuntime, copyLicenses } from "./runtime.mjs";
import { writeManifestTypes } from "./types.mjs";

const OUT = fileURLToPath(new URL("../../webbuild/_web/", import.meta.url));

const PARTS = {
  types: () => writeManifestTypes(),
  runtime: async () => {
    await rm(`${OUT}runtime`, { recursive: true, force: true });
    await buildRuntime(`${OUT}runtime`);
    await copyLicenses(`${OUT}licenses`);
    await writeDeclarations(`${OUT}runtime/webbuild.d.ts`);
  },
  engine: () => copyEngine(`${OUT}ort`),
  page: () => buildPage(`${OUT}page`),
};

const asked = process.argv.slice(2);
for (const part of asked) {
  if (!(part in PARTS)) throw new Error(`no part "${part}": give some of ${Object.keys(PARTS).join(", ")}`);
}
for (const [part, build] of Object.entries(PARTS)) {
  if (asked.length === 0 || asked.includes(part)) await build();
}
