// The rules that validate a manifest in the runtime: its JSON schema in the short form of web/src/manifest/rules.ts.

import { readFile, writeFile } from "node:fs/promises";
import { BANNER, SCHEMA } from "./types.mjs";

const DEFINITIONS = new URL("../src/manifest/definitions.ts", import.meta.url);

/** JSON Schema keywords that do not constrain a value. */
const SAID = ["title", "description", "default"];

/** Returns the source of web/src/manifest/definitions.ts. */
export async function manifestDefinitions() {
  const { $defs } = JSON.parse(await readFile(SCHEMA, "utf8"));
  const definitions = Object.entries($defs).map(([name, { properties, required }]) => {
    const key = (field) => (required.includes(field) ? field : `"${field}?"`);
    const rules = Object.entries(properties).map(
      ([field, schema]) => `    ${key(field)}: ${JSON.stringify(shortRule(schema))},\n`,
    );
    return `  ${name}: {\n${rules.join("")}  },\n`;
  });
  const defaults = Object.entries($defs).flatMap(([name, { properties }]) => {
    const given = Object.entries(properties).filter(([, schema]) => "default" in schema);
    const values = Object.fromEntries(given.map(([field, schema]) => [field, schema.default]));
    return given.length === 0 ? [] : [`  ${name}: ${JSON.stringify(values)},\n`];
  });
  const type = 'import type { Definition } from "./rules.js";';
  const rules = `export const DEFINITIONS: Record<string, Definition> = {\n${definitions.join("")}};\n`;
  const values = `export const DEFAULTS: Record<string, Record<string, unknown>> = {\n${defaults.join("")}};\n`;
  return [BANNER, type, rules, values].join("\n\n").replace(/\n{3}/g, "\n\n");
}

export async function writeManifestDefinitions() {
  await writeFile(DEFINITIONS, await manifestDefinitions());
}

/** Returns the rule of a schema. Throws for keywords that web/src/manifest/wrong-field.ts does not check. */
function shortRule(schema) {
  const { type, items, anyOf, discriminator, additionalProperties, $ref, ...rest } = schema;
  const bounds = Object.fromEntries(Object.entries(rest).filter(([word]) => !SAID.includes(word)));
  const known = ["enum", "minimum", "maximum", "pattern", "minItems", "maxItems", "maxProduct", "names"];
  const unknown = Object.keys(bounds).filter((word) => !known.includes(word));
  if (unknown.length > 0)
    throw new Error(`the runtime does not check ${unknown.join(", ")} of a manifest's schema`);
  if ($ref) return nameOf($ref);
  if (discriminator) {
    const kinds = Object.entries(discriminator.mapping).map(([kind, ref]) => [kind, nameOf(ref)]);
    return { kinds: Object.fromEntries(kinds) };
  }
  if (anyOf) return { anyOf: anyOf.map(shortRule) };
  if (type === "array") return { ...bounds, items: shortRule(items) };
  if (type === "object") return { values: shortRule(additionalProperties) };
  return type === undefined || Object.keys(bounds).length === 0 ? (type ?? bounds) : { type, ...bounds };
}

function nameOf(ref) {
  return ref.split("/").at(-1);
}
