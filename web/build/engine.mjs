// The files of onnxruntime-web, as they are and gzipped: those that go into bundles, and those to compare with.

import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const PACKAGE = new URL("../../node_modules/onnxruntime-web/", import.meta.url);
const NOTICES = fileURLToPath(new URL("../notices/", import.meta.url));
const BUNDLED = {
  entries: ["ort.jspi.min.mjs", "ort.webgpu.min.mjs", "ort.wasm.min.mjs"],
  builds: [".jspi", ".asyncify", ""],
};
/** What `import "onnxruntime-web"` gives: for `webbuild verify --build jsep`, in no bundle. */
const JSEP = { entries: ["ort.min.mjs"], builds: [".jsep"] };

export async function copyEngine(out) {
  await copyBuilds(out, BUNDLED);
}

export async function copyJsep(out) {
  await copyBuilds(out, JSEP);
}

/** Fills `out`. Does nothing where this version is there already: VERSION is written last. */
async function copyBuilds(out, { entries, builds }) {
  const { version } = JSON.parse(await readFile(new URL("package.json", PACKAGE), "utf8"));
  const there = await readFile(`${out}/VERSION`, "utf8").catch(() => "");
  if (there.trim() === version) return;
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const stems = builds.map((build) => `ort-wasm-simd-threaded${build}`);
  for (const file of [...entries, ...stems.map((stem) => `${stem}.mjs`)]) {
    await copyFile(new URL(`dist/${file}`, PACKAGE), `${out}/${file}`);
  }
  for (const stem of stems) await compress(`dist/${stem}.wasm`, `${out}/${stem}.wasm.gz`);
  // The npm package has neither: these are those of the same project's release.
  await copyFile(`${NOTICES}onnxruntime-web-LICENSE.txt`, `${out}/LICENSE`);
  await copyFile(`${NOTICES}onnxruntime-web-ThirdPartyNotices.txt`, `${out}/ThirdPartyNotices.txt`);
  await writeFile(`${out}/VERSION`, `${version}\n`);
}

async function compress(source, out) {
  await writeFile(out, await promisify(gzip)(await readFile(new URL(source, PACKAGE)), { level: 9 }));
}
