// Builds a module of this folder and what it takes of the runtime: node benchmarks/gpu/node/build.mjs FOLDER [NAME].

import { fileURLToPath } from "node:url";
import { buildModule } from "../../../web/build/modules.mjs";

const [outDir = "", name = "measure"] = process.argv.slice(2);
await buildModule({ entry: fileURLToPath(new URL(`${name}.ts`, import.meta.url)), name, outDir });
