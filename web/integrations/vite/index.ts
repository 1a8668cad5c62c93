// A Vite plugin for apps with models packed by webbuild: it keeps Vite from rewriting and inlining their files.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { Connect, Plugin, UserConfig } from "vite";
import { searchForWorkspaceRoot } from "vite";

/** A page that is isolated from other origins gets threads. */
const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
const ENGINE = /\/runtime\/ort\/[\w.-]+\.mjs$/;

export interface WebbuildOptions {
  /** Whether development and preview send the headers of cross-origin isolation, which threads need. On by default. */
  isolated?: boolean;
}

/** `plugins: [webbuild()]`. Finds the bundles among the app's dependencies. */
export default function webbuild({ isolated = true }: WebbuildOptions = {}): Plugin {
  const headers = isolated ? ISOLATED : {};
  let bundles: Record<string, string> = {};
  return {
    name: "webbuild",
    config(config) {
      const root = config.root ?? process.cwd();
      bundles = findBundles(root);
      const folders = Object.values(bundles);
      return {
        // If Vite 7 merged a bundle with other dependencies, the URLs of its files would break.
        optimizeDeps: { exclude: Object.keys(bundles) },
        server: { headers, fs: { allow: [searchForWorkspaceRoot(root), ...folders] } },
        preview: { headers },
        worker: { format: "es" },
        build: { assetsInlineLimit: inlineLimit(config, folders) },
      };
    },
    configureServer(server) {
      const folders = Object.values(bundles);
      server.middlewares.use(serveEngine(server.config.root, server.config.base, folders, headers));
    },
  };
}

/** Returns the folders of the app's dependencies that are bundles, by name. */
function findBundles(root: string): Record<string, string> {
  const app = readJson(join(root, "package.json"));
  const names = Object.keys({ ...app.dependencies, ...app.devDependencies });
  const found = names.map((name) => [name, packageFolder(root, name)] as const);
  return Object.fromEntries(found.filter((each): each is [string, string] => isBundle(each[1])));
}

function packageFolder(from: string, name: string): string | null {
  const folder = join(from, "node_modules", name);
  if (existsSync(folder)) return realpathSync(folder);
  return dirname(from) === from ? null : packageFolder(dirname(from), name);
}

function isBundle(folder: string | null): boolean {
  return folder !== null && readJson(join(folder, "manifest.json")).generator?.name === "webbuild";
}

// biome-ignore lint/suspicious/noExplicitAny: any package's JSON
function readJson(file: string): any {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Never inlines a bundle's files, since a strict policy forbids `data:`. The app's own setting applies to other files. */
function inlineLimit(config: UserConfig, folders: string[]) {
  const appLimit = config.build?.assetsInlineLimit;
  return (file: string, content: Buffer): boolean | undefined => {
    if (isInside(file, folders)) return false;
    if (typeof appLimit === "number") return content.length < appLimit;
    return appLimit?.(file, content);
  };
}

/** Serves the engine's scripts unchanged, because their hashes are checked and Vite would transform them. */
function serveEngine(
  root: string,
  base: string,
  folders: string[],
  headers: Record<string, string>,
): Connect.NextHandleFunction {
  return (request, response, next) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://localhost").pathname);
    if (!ENGINE.test(path)) return next();
    const inside = path.startsWith(base) ? path.slice(base.length - 1) : path;
    const file = inside.startsWith("/@fs/") ? inside.slice(sep === "/" ? 4 : 5) : join(root, inside);
    if (!isInside(file, folders)) return next();
    response.writeHead(200, { "Content-Type": "text/javascript", "Cache-Control": "no-cache", ...headers });
    response.end(readFileSync(file));
  };
}

function isInside(file: string, folders: string[]): boolean {
  return existsSync(file) && folders.some((folder) => realpathSync(file).startsWith(folder + sep));
}
