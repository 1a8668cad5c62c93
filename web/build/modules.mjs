// Bundles an entry and everything it imports into one ES module, readable or minified.

import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Class names stay: stack traces and devtools show them, as `Model.run`. Function names are in the source map. */
const KEEP = { keepNames: { class: true, function: false } };
/** Comments that stay: licences, and annotations for bundlers, such as `webpackIgnore` in an `import()` of a URL. */
const COMMENTS = { legal: true, annotation: true, jsdoc: false };
const MINIFIED = { minify: { compress: KEEP, mangle: KEEP }, comments: COMMENTS };

/**
 * Writes `<name>.js` into `outDir`, and the styles that the entry imports into `<name>.css`. With `sourceMap` also
 * `<name>.js.map`, which contains the sources.
 */
export async function buildModule({ entry, name, outDir, minify = false, sourceMap = false, footer = "" }) {
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
      sourcemap: sourceMap,
      modulePreload: false,
      rolldownOptions: {
        input: { [name]: entry },
        output: {
          entryFileNames: "[name].js",
          assetFileNames: "[name][extname]",
          codeSplitting: false,
          footer,
          sourcemapPathTransform: (source, map) => sourceName(resolve(dirname(map), source)),
          ...(minify ? MINIFIED : {}),
        },
        preserveEntrySignatures: "strict",
      },
    },
  });
}

/** Returns a source's name in devtools, which depends on neither the script's place nor the build machine. */
function sourceName(file) {
  const inPackages = file.split(`${sep}node_modules${sep}`).slice(1).at(-1);
  const path = inPackages === undefined ? relative(ROOT, file) : `node_modules/${inPackages}`;
  return `webbuild:///${path.replaceAll(sep, "/")}`;
}
