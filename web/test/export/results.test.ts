import { expect, test } from "vitest";
import type {
  DepthResult,
  ImageSegmentationResult,
  MaskGenerationResult,
  ObbResult,
  PoseResult,
  SegmentResult,
  TextBox,
} from "../../src/api/types.js";
import { toCoco } from "../../src/export/coco.js";
import { toPng } from "../../src/export/cutout.js";
import { toJson } from "../../src/export/plain-json.js";
import { toSupervision } from "../../src/export/supervision.js";

const RUN = {
  width: 8,
  height: 4,
  size: [8, 8] as [number, number],
  timings: { preprocess: 1, inference: 2, postprocess: 3, total: 6 },
  preprocess: { path: "cpu" as const, reason: "", texture: null },
  postprocess: { path: "cpu" as const, reason: "" },
  backend: "wasm" as const,
  fallback: null,
  warnings: [],
};
const CAT = { label: "cat", classIndex: 3, score: 0.5, box: { x1: 2, y1: 0, x2: 6, y2: 4 } };

const POSE: PoseResult = {
  ...RUN,
  kind: "pose",
  poses: [
    {
      ...CAT,
      keypoints: [
        { name: "nose", x: 3, y: 1, confidence: 0.9 },
        { name: "tail", x: 5, y: 3, confidence: 0.2 },
      ],
    },
  ],
};
// A grid of 2 x 2 cells over the box: the cat is upper left and lower right.
const SEGMENT: SegmentResult = {
  ...RUN,
  kind: "segment",
  segments: [
    {
      ...CAT,
      mask: {
        x: 2,
        y: 0,
        width: 4,
        height: 4,
        columns: 2,
        rows: 2,
        data: Uint8Array.from([1, 0, 0, 1]),
      },
    },
  ],
};
const REGIONS: ImageSegmentationResult = {
  ...RUN,
  kind: "image-segmentation",
  mode: "semantic",
  regions: [
    { ...CAT, score: null, pixels: 4, share: 0.125, box: { x1: 0, y1: 0, x2: 1, y2: 4 } },
    {
      ...{ ...CAT, label: "dog", classIndex: 1, score: null, pixels: 28, share: 0.875 },
      box: { x1: 1, y1: 0, x2: 8, y2: 4 },
    },
  ],
  map: Uint16Array.from({ length: 32 }, (_, at) => (at % 8 === 0 ? 1 : 2)),
};
const OBB: ObbResult = {
  ...RUN,
  kind: "obb",
  objects: [
    {
      ...CAT,
      center: { x: 4, y: 2 },
      width: 2,
      height: 2,
      angle: Math.PI / 4,
      corners: [
        { x: 4, y: 0 },
        { x: 6, y: 2 },
        { x: 4, y: 4 },
        { x: 2, y: 2 },
      ],
    },
  ],
};

test("COCO: text boxes by their polygons", () => {
  const polygon: TextBox["polygon"] = [
    [4, 0],
    [6, 2],
    [4, 4],
    [2, 2],
  ];
  const [found] = toCoco({ ...RUN, kind: "text-boxes", detections: [{ ...CAT, polygon }] }).annotations;
  expect(found).toMatchObject({ area: 8, segmentation: [[4, 0, 6, 2, 4, 4, 2, 2]] });
});

test("COCO: boxes, keypoints with their visibility, given ids", () => {
  const made = toCoco(POSE, { imageId: 7, fileName: "cat.jpg", firstId: 5 });
  expect(made).toEqual({
    images: [{ id: 7, file_name: "cat.jpg", width: 8, height: 4 }],
    categories: [{ id: 3, name: "cat", keypoints: ["nose", "tail"] }],
    annotations: [
      {
        id: 5,
        image_id: 7,
        category_id: 3,
        bbox: [2, 0, 4, 4],
        area: 16,
        iscrowd: 0,
        score: 0.5,
        keypoints: [3, 1, 2, 5, 3, 1],
        num_keypoints: 2,
      },
    ],
  });
  expect(toCoco(POSE, { labels: ["cow", "dog"] }).categories.map(({ name }) => name)).toEqual(["cow", "dog"]);
});

test("COCO: masks as run lengths of the whole image, or as outlines", () => {
  const [runs] = toCoco(SEGMENT).annotations;
  // pycocotools' text for the runs 8 2 2 2 4 2 2 2 8: columns 2 and 3 have the upper half, 4 and 5 the lower.
  expect(runs).toMatchObject({ area: 8, segmentation: { size: [4, 8], counts: "822020N06" } });
  const [polygons] = toCoco(SEGMENT, { masks: "polygons" }).annotations;
  expect(polygons?.segmentation).toEqual([
    [2, 0, 4, 0, 4, 2, 2, 2],
    [4, 2, 6, 2, 6, 4, 4, 4],
  ]);
});

test("COCO: regions by their pixels, without a score; rotated boxes by their corners", () => {
  const { annotations, categories } = toCoco(REGIONS);
  expect(annotations.map(({ area }) => area)).toEqual([4, 28]);
  expect(annotations[0]).not.toHaveProperty("score");
  expect(categories.map(({ id }) => id)).toEqual([1, 3]);
  const [rotated] = toCoco(OBB).annotations;
  expect(rotated).toMatchObject({ area: 8, segmentation: [[4, 0, 6, 2, 4, 4, 2, 2]] });
});

/** Returns the array, and a function that counts how often its elements were read. */
function counted<T extends Uint8Array | Uint16Array>(array: T): [counted: T, reads: () => number] {
  let reads = 0;
  const get = (target: T, name: string) => {
    reads += 1;
    return Reflect.get(target, name);
  };
  return [new Proxy(array, { get }) as T, () => reads];
}

test("only the pixels around a mask are tested", () => {
  const [width, height] = [400, 300];
  const map = new Uint16Array(width * height);
  for (let y = 100; y < 110; y += 1) map.fill(1, y * width + 50, y * width + 70);
  const [read, reads] = counted(map);
  const region = { ...CAT, score: null, pixels: 200, share: 0, box: { x1: 50, y1: 100, x2: 70, y2: 110 } };
  const regions = { ...REGIONS, width, height, regions: [region], map: read };
  expect(toCoco(regions).annotations).toMatchObject([{ area: 200 }]);
  expect(reads()).toBe(200);
  const [data, cells] = counted(new Uint8Array(4).fill(1));
  const mask = { x: 49.6, y: -3, width: 10.2, height: 9, columns: 2, rows: 2, data };
  const segments: SegmentResult = { ...SEGMENT, width, height, segments: [{ ...CAT, mask }] };
  expect(toCoco(segments).annotations).toMatchObject([{ area: 60 }]);
  const { counts = "" } = toSupervision(segments).detections[0]?.mask ?? {};
  expect(toCoco(segments).annotations).toMatchObject([{ segmentation: { counts } }]);
  expect(cells()).toBeLessThan(1000);
});

test("COCO: masks of clicked objects, in pixels of the image", () => {
  const mask = Uint8Array.from({ length: 32 }, (_, at) => Number(at % 8 >= 2 && at % 8 < 5 && at >= 8));
  const clicked: MaskGenerationResult = {
    ...RUN,
    kind: "mask-generation",
    masks: [{ mask, score: 0.75, box: { x1: 2, y1: 1, x2: 5, y2: 4 } }],
    best: 0,
    logits: { data: new Float32Array(1), columns: 1, rows: 1 },
  };
  const [annotation] = toCoco(clicked, { masks: "polygons" }).annotations;
  expect(annotation).toMatchObject({ bbox: [2, 1, 3, 3], area: 9, score: 0.75 });
  expect(annotation?.segmentation).toEqual([[2, 1, 5, 1, 5, 4, 2, 4]]);
});

test("COCO: objects with one name share a category, in name order", () => {
  const three = { ...POSE, poses: [1, 2, 3].map(() => ({ ...CAT, keypoints: [] })) };
  const { annotations, categories } = toCoco(three, { names: ["tom", "kitty", "tom"] });
  expect(categories.map(({ id, name }) => [id, name])).toEqual([
    [0, "tom"],
    [1, "kitty"],
  ]);
  expect(annotations.map((one) => one.category_id)).toEqual([0, 1, 0]);
});

test("COCO: a name that is a label uses that category, others come after the labels", () => {
  const three = { ...POSE, poses: [1, 2, 3].map(() => ({ ...CAT, keypoints: [] })) };
  const asked = { names: ["dog", "tom", "cat"], labels: ["cat", "dog"] };
  const { annotations, categories } = toCoco(three, asked);
  expect(categories.map(({ id, name }) => [id, name])).toEqual([
    [0, "cat"],
    [1, "dog"],
    [2, "tom"],
  ]);
  expect(annotations.map((one) => one.category_id)).toEqual([1, 2, 0]);
});

test("supervision-js: rectangles by their centre, masks, skeletons, and no objects without an area", () => {
  const frame = toSupervision(POSE, { mediaTime: 1.5, edges: [[0, 1]] });
  expect(frame).toMatchObject({ mediaTime: 1.5, coordinateSpace: { width: 8, height: 4 } });
  expect(frame.detections[0]).toEqual({
    id: 0,
    className: "cat",
    confidence: 0.5,
    rect: { x: 4, y: 2, width: 4, height: 4 },
    keypoints: {
      points: [
        { x: 3, y: 1 },
        { x: 5, y: 3 },
      ],
      edges: [[0, 1]],
      visibility: [2, 1],
    },
    metadata: { classIndex: 3 },
  });
  expect(toSupervision(SEGMENT).detections[0]?.mask).toMatchObject({ width: 8, height: 4 });
  const flat = { ...POSE, poses: POSE.poses.map((pose) => ({ ...pose, box: { ...pose.box, x2: 2 } })) };
  expect(toSupervision(flat).detections).toEqual([]);
});

test("a PNG is transparent outside the object, and shows the image inside", async () => {
  const picture = new OffscreenCanvas(8, 4);
  const context = picture.getContext("2d");
  if (context) context.fillStyle = "rgb(200, 100, 50)";
  context?.fillRect(0, 0, 8, 4);
  expect(await pixels(await toPng(SEGMENT, 0, picture), 2, 1)).toEqual([200, 100, 50, 255]);
  expect(await pixels(await toPng(SEGMENT, 0, picture), 4, 1)).toEqual([0, 0, 0, 0]);
  expect(await pixels(await toPng(REGIONS, 1), 5, 1)).toEqual([255, 255, 255, 255]);
  await expect(toPng(SEGMENT, 1)).rejects.toThrow("no object 1: the result has 1");
});

test("plain JSON keeps short lists, and summarizes long ones", () => {
  const depth = new Float32Array(5000);
  const result = { ...RUN, kind: "depth", depth, confidence: null, min: 1, max: 2 } as unknown as DepthResult;
  const made = JSON.parse(JSON.stringify(toJson(result)));
  expect(made).toMatchObject({ kind: "depth", depth: { type: "Float32Array", length: 5000 }, min: 1 });
  expect(made).not.toHaveProperty("preprocess");
  expect(JSON.parse(JSON.stringify(toJson(SEGMENT))).segments[0].mask.data).toEqual([1, 0, 0, 1]);
});

async function pixels(blob: Blob, x: number, y: number): Promise<number[]> {
  expect(blob.type).toBe("image/png");
  const bitmap = await createImageBitmap(blob);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context?.drawImage(bitmap, 0, 0);
  return [...(context?.getImageData(x, y, 1, 1).data ?? [])];
}
