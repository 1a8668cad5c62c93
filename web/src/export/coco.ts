// Writes results as COCO JSON: images, categories, annotations.

import type { MaskRunsResult, ObjectsResult } from "../api/types.js";
import { type FoundObject, foundObjects } from "./objects.js";
import { outlines, signedArea } from "./polygons.js";
import { compressRuns, countPixels, runLengths } from "./rle.js";

export interface CocoOptions {
  /** 1 by default. */
  imageId?: number;
  /** "" by default. */
  fileName?: string;
  /** The id of the first annotation, 1 by default: ids must be unique over several images. */
  firstId?: number;
  /** How masks are written: exact runs, or outlines without holes. "rle" by default. */
  masks?: "rle" | "polygons";
  /** All classes of the model. Default: the classes of the result. */
  labels?: readonly string[];
  /**
   * A name for each object, in the result's order. Objects with the same name form one category, the one in
   * `labels` if it has the name. Default: their classes.
   */
  names?: readonly string[];
}

export interface CocoRle {
  /** Height and width. */
  size: [number, number];
  /** Compressed, in pycocotools' format. */
  counts: string;
}

export interface CocoAnnotation {
  id: number;
  image_id: number;
  category_id: number;
  /** Left, top, width, height, in pixels. */
  bbox: [number, number, number, number];
  area: number;
  iscrowd: 0;
  score?: number;
  /** Runs, or polygons: x and y alternating. */
  segmentation?: CocoRle | number[][];
  /** x, y and visibility for each: 2 where its confidence is at least 0.5, else 1. */
  keypoints?: number[];
  num_keypoints?: number;
}

export interface CocoDataset {
  images: { id: number; file_name: string; width: number; height: number }[];
  /** A category's id is the index of its class. */
  categories: { id: number; name: string; keypoints?: string[] }[];
  annotations: CocoAnnotation[];
}

/** Returns a result as a COCO data set of one image. A category's id is the index of its class. */
export function toCoco(result: ObjectsResult | MaskRunsResult, options: CocoOptions = {}): CocoDataset {
  const { imageId = 1, fileName = "", firstId = 1, masks = "rle", labels, names } = options;
  const { width, height } = result;
  const objects = names ? named(foundObjects(result), names, labels) : foundObjects(result);
  const annotations = objects.map((one, index): CocoAnnotation => {
    const { x1, y1, x2, y2 } = one.box;
    return {
      id: firstId + index,
      image_id: imageId,
      category_id: one.classIndex,
      bbox: [x1, y1, x2 - x1, y2 - y1],
      ...area(one, width, height, masks),
      iscrowd: 0,
      ...(one.score === null ? {} : { score: one.score }),
      ...keypoints(one),
    };
  });
  const classes = categories(objects, labels, names !== undefined);
  const points = objects.find((one) => one.keypoints !== null)?.keypoints?.map(({ name }) => name);
  return {
    images: [{ id: imageId, file_name: fileName, width, height }],
    categories: classes.map(([id, name]) => ({ id, name, ...(points ? { keypoints: points } : {}) })),
    annotations,
  };
}

/** Names that are not in `labels` get the indices after them, in the order of their first objects. */
function named(
  objects: readonly FoundObject[],
  names: readonly string[],
  labels: readonly string[] = [],
): FoundObject[] {
  const all = [...labels];
  return objects.map((one, index) => {
    const label = names[index] ?? one.label;
    if (!all.includes(label)) all.push(label);
    return { ...one, label, classIndex: all.indexOf(label) };
  });
}

function categories(
  objects: readonly FoundObject[],
  labels: readonly string[] | undefined,
  areNamed: boolean,
): [number, string][] {
  const known = labels ? [...labels.entries()] : [];
  if (labels && !areNamed) return known;
  const found = objects.map(({ classIndex, label }): [number, string] => [classIndex, label]);
  return [...new Map([...known, ...found])].sort(([one], [other]) => one - other);
}

function area(
  { box, inside, within, runs: known, corners }: FoundObject,
  width: number,
  height: number,
  masks: "rle" | "polygons",
): Pick<CocoAnnotation, "area" | "segmentation"> {
  if (corners !== null) {
    const polygon = corners.flatMap(({ x, y }) => [x, y]);
    return { area: Math.abs(signedArea(polygon)), segmentation: [polygon] };
  }
  if (inside === null || within === null) return { area: (box.x2 - box.x1) * (box.y2 - box.y1) };
  const runs = known ?? runLengths(width, height, inside, within);
  const { x1, y1, x2, y2 } = within;
  return {
    area: countPixels(runs),
    segmentation:
      masks === "polygons"
        ? outlines({ left: x1, top: y1, right: x2, bottom: y2 }, inside)
        : { size: [height, width], counts: compressRuns(runs) },
  };
}

function keypoints({ keypoints: points }: FoundObject): Pick<CocoAnnotation, "keypoints" | "num_keypoints"> {
  if (points === null) return {};
  return {
    keypoints: points.flatMap(({ x, y, confidence }) => [x, y, confidence >= 0.5 ? 2 : 1]),
    num_keypoints: points.length,
  };
}
