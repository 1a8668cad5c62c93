// An image input for tests that need any: not square, and with normalization.

import type { ImageInput } from "../../src/manifest/manifest.js";

export const INPUT: ImageInput = {
  kind: "image",
  name: "x",
  dtype: "float32",
  shape: [1, 3, 40, 56],
  layout: "nchw",
  color: "rgb",
  scale: 1 / 255,
  mean: [0.485, 0.456, 0.406],
  std: [0.229, 0.224, 0.225],
  letterbox: { mode: "letterbox", anchor: "center", pad: 114, interpolation: "bilinear" },
};
