// The files of onnxruntime-web for bundles, uncompressed and as zstd.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Zstd } from "@hpcc-js/wasm-zstd";

const PACKAGE = new URL("../../node_modules/onnxruntime-web/", import.meta.url);
/** Cache of the compressed files: compression takes a minute. */
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/webbuild/", import.meta.url));
const NOTICES = fileURLToPath(new URL("../notices/", import.meta.url));
const ENTRIES = ["ort.jspi.min.mjs", "ort.webgpu.min.mjs", "ort.wasm.min.mjs"];
const BUILDS = [".jspi", ".asyncify", ""];
/** The highest zstd level with a window of 8 MiB, the browsers' limit (RFC 9659). */
const LEVEL = 19;

/** Copies the files to `out`, unless this version is there already: VERSION is written last. */
export async function copyEngine(out) {
  const { version } = JSON.parse(await readFile(new URL("package.json", PACKAGE), "utf8"));
  const there = await readFile(`${out}/VERSION`, "utf8").catch(() => "");
  const stems = BUILDS.map((build) => `ort-wasm-simd-threaded${build}`);
  if (there.trim() === version && stems.every((stem) => existsSync(`${out}/${stem}.wasm.zst`))) return;
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const file of [...ENTRIES, ...stems.map((stem) => `${stem}.mjs`)]) {
    await copyFile(new URL(`dist/${file}`, PACKAGE), `${out}/${file}`);
  }
  for (const stem of stems) await compress(`dist/${stem}.wasm`, `${out}/${stem}.wasm.zst`);
  // The npm package has neither file: these are from the project's GitHub release.
  await copyFile(`${NOTICES}onnxruntime-web-LICENSE.txt`, `${out}/LICENSE`);
  await copyFile(`${NOTICES}onnxruntime-web-ThirdPartyNotices.txt`, `${out}/ThirdPartyNotices.txt`);
  await writeFile(`${out}/VERSION`, `${version}\n`);
}

async function compress(source, out) {
  const content = await readFile(new URL(source, PACKAGE));
  const zstd = await Zstd.load();
  const hash = createHash("sha256").update(content).digest("hex");
  const cached = `${CACHE}${hash}-${zstd.version()}-${LEVEL}.zst`;
  if (!existsSync(cached)) {
    await mkdir(CACHE, { recursive: true });
    const part = `${cached}.${process.pid}`;
    await writeFile(part, zstd.compress(content, LEVEL));
    await rename(part, cached);
  }
  await copyFile(cached, out);
}
