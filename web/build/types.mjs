// The TypeScript types of the manifest, generated from its JSON schema.

import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

export const SCHEMA = new URL("../../webbuild/manifest/manifest.schema.json", import.meta.url);
const TYPES = new URL("../src/manifest/manifest.ts", import.meta.url);
export const BANNER =
  "// Generated from webbuild/manifest/manifest.schema.json by `npm run build`. Do not edit.";

/** Drops what TypeScript does not need: OpenAPI's `discriminator`, and defaults, since every field is written. */
function plain(node) {
  if (Array.isArray(node)) return node.map(plain);
  if (node === null || typeof node !== "object") return node;
  const { default: _default, discriminator: _discriminator, properties, ...kept } = node;
  const named = properties && { properties: mapValues(properties, plain) };
  return { ...mapValues(kept, plain), ...named };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Returns the source of web/src/manifest/manifest.ts. */
export async function manifestTypes() {
  const { $ref: _root, ...schema } = plain(JSON.parse(await readFile(SCHEMA, "utf8")));
  const { Manifest, ...definitions } = schema.$defs;
  const root = { ...Manifest, $defs: definitions };
  return compile(root, "Manifest", {
    additionalProperties: false,
    bannerComment: BANNER,
    declareExternallyReferenced: true,
    enableConstEnums: false,
    format: true,
    style: { printWidth: 110 },
  });
}

export async function writeManifestTypes() {
  await writeFile(TYPES, await manifestTypes());
}
