// A graph of a manifest to derive variants from.

import type { Graph } from "../../src/manifest/manifest.js";

export const GRAPH: Graph = {
  target: "webgpu",
  file: "model/whole.onnx",
  weights: [],
  nodes: 1,
  outputs: [],
  headStatus: null,
  cpuNodes: [],
  allOnGpu: false,
  features: [],
  precision: "fp32",
  weightDtype: "fp32",
  macs: 0,
  optimized: false,
};
