// A webpack plugin for apps with models packed by webbuild.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A page that is isolated from other origins gets threads. */
const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
const NAME = "WebbuildPlugin";

/** The parts of webpack's compiler and compilation that are used here. */
interface Compilation {
  getAssets(): readonly { name: string; info: { sourceFilename?: string } }[];
  updateAsset(name: string, change: (source: unknown) => unknown, info: object): void;
  hooks: { processAssets: { tap(options: { name: string; stage: number }, work: () => void): void } };
}
interface Compiler {
  context: string;
  options: {
    performance?: false | { assetFilter?: (file: string) => boolean };
    devServer?: false | { headers?: unknown };
  };
  webpack: { Compilation: { PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE: number } };
  hooks: { thisCompilation: { tap(name: string, work: (compilation: Compilation) => void): void } };
}

/** `plugins: [new WebbuildPlugin()]`. */
export class WebbuildPlugin {
  readonly #isolated: boolean;

  /** With `isolated`, the default, webpack-dev-server sends the headers of cross-origin isolation. */
  constructor({ isolated = true }: { isolated?: boolean } = {}) {
    this.#isolated = isolated;
  }

  // biome-ignore lint/suspicious/noExplicitAny: webpack's own types would make it a dependency
  apply(webpackCompiler: any): void {
    const compiler: Compiler = webpackCompiler;
    const { performance, devServer = {} } = compiler.options;
    // Models are large, so do not warn about their size.
    const assetFilter = (file: string) => !/\.(zst|bin|onnx|map)$/.test(file);
    if (performance !== false) compiler.options.performance = { assetFilter, ...performance };
    if (this.#isolated && devServer) compiler.options.devServer = { headers: ISOLATED, ...devServer };
    const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE - 1;
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      compilation.hooks.processAssets.tap({ name: NAME, stage }, () => {
        // Mark the bundle's files as minimized, because the hashes of the engine's scripts are checked.
        for (const { name, info } of compilation.getAssets()) {
          const source = info.sourceFilename && resolve(compiler.context, info.sourceFilename);
          if (source && isOfBundle(dirname(source)))
            compilation.updateAsset(name, (content) => content, { minimized: true });
        }
      });
    });
  }
}

function isOfBundle(folder: string): boolean {
  const manifest = join(folder, "manifest.json");
  if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, "utf8")).generator?.name === "webbuild";
  return dirname(folder) !== folder && isOfBundle(dirname(folder));
}
