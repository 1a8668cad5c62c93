// The npm packages that are compiled into the runtime.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const NAMES = ["@huggingface/tokenizers", "comlink", "fzstd"];

/** Name, version, SPDX licence and licence file of each. */
export function packagesInside() {
  return Promise.all(
    NAMES.map(async (name) => {
      const folder = `${MODULES}${name}`;
      const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
      return { name, version, license, file: `${folder}/LICENSE` };
    }),
  );
}
