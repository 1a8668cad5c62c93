// A model of each task, and the inputs of its run besides an image.

import type { RunOptions } from "../../src/index.js";
import type { Manifest } from "../../src/manifest/manifest.js";

export const TINY_TASKS: Record<Manifest["task"]["kind"], [manifest: string, options?: RunOptions]> = {
  classify: ["classify.json"],
  "crop-classes": ["crop-classes.json"],
  "crop-embeddings": ["crop-embeddings.json"],
  depth: ["depths.json"],
  detect: ["suppressed.json"],
  embed: ["embed.json"],
  grounding: ["grounding.json", { prompt: "red circle. blue square" }],
  image: ["whole.json"],
  "image-segmentation": ["regions.json"],
  keypoints: ["keypoints.json"],
  "mask-generation": ["mask-generation.json", { points: [{ x: 4, y: 10 }] }],
  matte: ["matting-whole.json"],
  obb: ["obb.json"],
  pose: ["manifest.json"],
  segment: ["segments.json"],
  tensor: ["golden.json"],
  text: ["text.json"],
  "text-line": ["text-line.json"],
  "text-boxes": ["text-boxes.json"],
};
