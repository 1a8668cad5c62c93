// @ultralytics/yolo as its documentation has it: on onnxruntime-web for .onnx, on LiteRT.js for .tflite.

import { posePage } from "./pose-page.js";

let model = null;

/** Bundlers resolve these names; a page by hand says where they are. */
function mapImports(imports) {
  const map = Object.assign(document.createElement("script"), { type: "importmap" });
  map.textContent = JSON.stringify({ imports });
  document.head.append(map);
}

async function load({ entry, engine, litert, imports, model: file, backend }) {
  mapImports(imports);
  const { YOLO } = await import(entry);
  const device = backend === "webgpu" ? "webgpu" : "cpu";
  model = await YOLO.load(file, { device, ortBaseUrl: engine, litertWasmUrl: litert });
  // It goes on by itself on another device, which would be another row.
  if (model.device !== device) throw new Error(`asked for ${device}, runs on ${model.device}`);
}

async function detect(picture) {
  const { boxes } = await model.predict(picture, { conf: 0.25, iou: 0.7 });
  return boxes.map(({ x1, y1, x2, y2, conf }) => [x1, y1, x2, y2, conf]);
}

posePage(load, detect);
