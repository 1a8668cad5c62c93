// One entry and everything it imports into one readable ES module.

import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Writes `<name>.js` into `outDir`, and the styles that the entry imports into `<name>.css`. */
export async function buildModule({ entry, name, outDir, minify = false, footer = "" }) {
  await build({
    configFile: false,
    root: ROOT,
    base: "./",
    publicDir: false,
    logLevel: "warn",
    build: {
      outDir,
      emptyOutDir: false,
      target: "es2022",
      minify,
      modulePreload: false,
      rolldownOptions: {
        input: { [name]: entry },
        output: {
          entryFileNames: "[name].js",
          assetFileNames: "[name][extname]",
          codeSplitting: false,
          footer,
        },
        preserveEntrySignatures: "strict",
      },
    },
  });
}
