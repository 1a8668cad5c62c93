// Builds the browser code into webbuild/_web: `npm run build`, or one part: `npm run build -- runtime`.
// `npm run build -- package` makes the npm package @webbuild/runtime from the built runtime, in build/npm.

import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { writeDeclarations } from "./declarations.mjs";
import { writeManifestDefinitions } from "./definitions.mjs";
import { copyEngine } from "./engine.mjs";
import { buildIntegrations } from "./integrations.mjs";
import { buildPackage } from "./package.mjs";
import { buildPage } from "./page.mjs";
import { buildRuntime, copyLicenses } from "./runtime.mjs";
import { writeManifestTypes } from "./types.mjs";

const OUT = fileURLToPath(new URL("../../webbuild/_web/", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../../build/npm/", import.meta.url));

const PARTS = {
  types: () => Promise.all([writeManifestTypes(), writeManifestDefinitions()]),
  runtime: async () => {
    await rm(`${OUT}runtime`, { recursive: true, force: true });
    await buildRuntime(`${OUT}runtime`);
    await copyLicenses(`${OUT}licenses`);
    await writeDeclarations(`${OUT}runtime/webbuild.d.ts`, `${OUT}runtime/webbuild.js`);
  },
  engine: () => copyEngine(`${OUT}ort`),
  page: () => buildPage(`${OUT}page`),
  integrations: () => buildIntegrations(`${OUT}integrations`, `${OUT}page/web-model.js`),
};
/** Parts that are built only on request. */
const MORE = { package: () => buildPackage(`${OUT}runtime`, PACKAGE) };

const asked = process.argv.slice(2);
for (const part of asked) {
  const known = Object.keys({ ...PARTS, ...MORE });
  if (!known.includes(part)) throw new Error(`no part "${part}": give some of ${known.join(", ")}`);
}
for (const [part, build] of Object.entries({ ...PARTS, ...MORE })) {
  if (asked.length === 0 ? part in PARTS : asked.includes(part)) await build();
}
