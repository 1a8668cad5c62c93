import { expect, test } from "vitest";
import { cropOnCpu } from "../../src/preprocess/crop/cpu-crop.js";
import { placeCrop } from "../../src/preprocess/crop/place-crop.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";
import { type CropCase, cropBox } from "../support/crops.js";

test.each(casesOf<CropCase>("crop"))("%s", (_, { input, image, boxes, want, tolerance }) => {
  const crops = boxes.map((each) => placeCrop(cropBox(each), input));
  const { width, height } = image;
  const tensor = cropOnCpu({ width, height, data: Uint8ClampedArray.from(image.rgba) }, input, crops);
  expectClose(tensor, want.tensor, tolerance);
});

test("keypoints that coincide make the crop use the box", () => {
  const [, aligned] = casesOf<CropCase>("crop").find(([name]) => name === "aligned") ?? [];
  if (aligned === undefined) throw new Error("no case");
  const { input, boxes } = aligned;
  const [{ box }] = boxes as [CropCase["boxes"][number]];
  const plain = placeCrop(cropBox({ box, points: [] }), input);
  const one = cropBox({ box, points: input.template.map(() => [3, 4]) });
  expect(placeCrop(one, input).toPicture).toEqual(plain.toPicture);
});
