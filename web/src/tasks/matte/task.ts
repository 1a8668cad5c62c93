// Matte: what is in front, cut out of the picture.

import type { MatteResult, Tensors } from "../../api/types.js";
import type { MatteTask } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { planeSize } from "../../preprocess/letterbox.js";
import { readPixels } from "../../preprocess/pixels.js";
import type { DepthMap } from "../depth/depth-map.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, ManifestOf, TaskModule } from "../task-module.js";
import { alphaCells, alphaLayout, alphaLevels } from "./alpha.js";
import { cutOut } from "./cutout.js";
import { matteDifference } from "./matte-difference.js";
import { type Background, backgroundOf } from "./options.js";
import { withBackground } from "./with-background.js";

type Fields = FieldsOf<MatteResult>;
type Context = Background | null;

export const task: TaskModule<MatteTask, Fields, Context> = {
  kind: "matte",
  readsPicture: true,
  context: (_, options) => backgroundOf(options),
  neededOutputs: ({ task: { output, foreground } }) =>
    foreground === null ? [output] : [output, foreground],
  async decode(manifest, outputs, geometry, background, source) {
    const alpha = alphaLevels(geometry, alphaMap(manifest, outputs));
    const pixels = await readPixels(source);
    const cut = await createImageBitmap(cutOut(pixels, alpha, geometry, foregroundMaps(manifest, outputs)));
    const cutout = await withBackground(background, cut, alpha, source);
    return { kind: "matte", ...geometry.source, alpha, cutout };
  },
  transfer: ({ alpha, cutout }) => ({ arrays: [alpha], others: [cutout] }),
  flatOutputsAllowed: true,
  difference: matteDifference,
};

/** Alpha over the model's input. */
function alphaMap(manifest: ManifestOf<MatteTask>, outputs: Tensors): DepthMap {
  const { task, inputs } = manifest;
  const dims = dimsOf(manifest, task.output);
  const layout = alphaLayout(task, dims);
  const values = alphaCells(task, readFloats(outputs, task.output, dims), layout);
  return { values, grid: layout.grid, input: planeSize(runInput(inputs).image) };
}

/** The colours of what is in front, each a map over the model's input. */
function foregroundMaps(manifest: ManifestOf<MatteTask>, outputs: Tensors): DepthMap[] | null {
  const { task, inputs } = manifest;
  if (task.foreground === null) return null;
  const dims = dimsOf(manifest, task.foreground);
  const { grid, channels, cellStep, channelStep } = alphaLayout(task, dims);
  const values = readFloats(outputs, task.foreground, dims);
  const input = planeSize(runInput(inputs).image);
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new Float32Array(grid.width * grid.height);
    for (const cell of plane.keys()) plane[cell] = values[cell * cellStep + channel * channelStep] ?? 0;
    return { values: plane, grid, input };
  });
}

function dimsOf({ outputs }: ManifestOf<MatteTask>, name: string): readonly number[] {
  return outputs.find((spec) => spec.name === name)?.shape ?? [];
}
