import { test } from "vitest";
import { bundle } from "./bundle.js";
test("log", async () => {
  const ort = await import(/* @vite-ignore */ bundle("runtime/ort/ort.jspi.min.mjs").href);
  const lines: string[] = [];
  const old = { ...console };
  for (const l of ["debug","log","info","warn","error"] as const) console[l] = (...w: unknown[]) => { lines.push(`${l}|` + w.join("¦")); };
  const wasm = await (await fetch(bundle("runtime/ort/ort-wasm-simd-threaded.jspi.wasm.gz"))).blob();
  ort.env.wasm.wasmBinary = await new Response(wasm.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  ort.env.wasm.wasmPaths = { mjs: bundle("runtime/ort/ort-wasm-simd-threaded.jspi.mjs").href };
  ort.env.wasm.numThreads = 1;
  const b = async (n: string) => new Uint8Array(await (await fetch(bundle("model/" + n))).arrayBuffer());
  for (const [ep, g] of [["webgpu", "webgpu.onnx"], ["wasm", "wasm.onnx"]]) {
    await ort.InferenceSession.create(await b(g), { executionProviders: [ep], externalData: [{ path: "weights.bin", data: await b("weights.bin") }], logSeverityLevel: 0, logVerbosityLevel: 0 });
    lines.push("=======");
  }
  Object.assign(console, old);
  console.log(lines.length, "\n", lines.filter(l => /placed|VerifyEach|====/.test(l)).map(l=>JSON.stringify(l)).join("\n"), "\n-----", lines.slice(-30).join("\n"));
});
