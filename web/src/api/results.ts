// The public types of what comes out of a model.

import type { DepthTask, ImageSegmentationTask } from "../manifest/manifest.js";
import type { Backend, DepthPart, PictureSize, Tensors, Warning } from "./types.js";

/** Where something is done, and why there. */
export interface Route {
  path: "gpu" | "cpu";
  reason: string;
}

/**
 * How the GPU got the picture: as an external texture, which is a VideoFrame where it lies, or copied into a texture of
 * its own. Null where the CPU made the tensor.
 */
export interface PreprocessRoute extends Route {
  texture: "external" | "copied" | null;
}

/**
 * Milliseconds in the worker, of a batch those of all its pictures. On the GPU's path `preprocess` hands the picture over;
 * the GPU's own time is `inference`'s.
 */
export interface Timings {
  preprocess: number;
  inference: number;
  postprocess: number;
  total: number;
}

interface RunResult {
  /** The size of the upright picture, which all coordinates are in. */
  width: number;
  height: number;
  /** The size that it was run at, one of the model's. */
  size: PictureSize;
  timings: Timings;
  preprocess: PreprocessRoute;
  /** Where what the model gave became this result. */
  postprocess: Route;
  /** The graph that answered. */
  backend: Backend;
  /** Not null: the first graph could not be exact on this picture, so the run was repeated on another. */
  fallback: { target: Backend; reason: string } | null;
  warnings: Warning[];
}

/** Boxes with classes and scores. */
export interface DetectResult extends RunResult {
  kind: "detect";
  detections: Detection[];
}

/** People, or other objects, with their keypoints. */
export interface PoseResult extends RunResult {
  kind: "pose";
  poses: Pose[];
}

/** Objects with their masks. */
export interface SegmentResult extends RunResult {
  kind: "segment";
  segments: Segment[];
}

/** Objects in rotated boxes. */
export interface ObbResult extends RunResult {
  kind: "obb";
  objects: OrientedObject[];
}

/** The classes of a picture. */
export interface ClassifyResult extends RunResult {
  kind: "classify";
  /** All of them, the most probable first. */
  classes: ClassScore[];
}

/** A depth map, in the parts that the run asked for. */
export interface DepthResult extends RunResult {
  kind: "depth";
  /**
   * Row by row, one value for each pixel of the source picture. NaN where the model saw nothing of it. Null where
   * "values" were not asked for.
   */
  depth: Float32Array<ArrayBuffer> | null;
  /** As large, and asked for with it; the larger, the surer. Null where the model gives none. */
  confidence: Float32Array<ArrayBuffer> | null;
  /** What the values are read from. Null where "map" was not asked for. */
  map: DepthGrid | null;
  /**
   * The map in colours, bright where it is near, transparent where there is no value: of the picture's shape, its longer
   * side at most 1280 pixels. Yours to close. Null where "colors" were not asked for.
   */
  colors: ImageBitmap | null;
  /** The least and the largest value of the picture's pixels, NaN where none has one. */
  min: number;
  max: number;
  /** The values at the bright and the dark end of the colours: of the model's own range if it has one, else of the map's. */
  near: number;
  far: number;
  /** What grows: the distance, or its inverse. */
  quantity: DepthTask["quantity"];
  unit: DepthTask["unit"];
}

/** A depth map as the model gives it, row by row, smaller than most pictures. `depthAt` reads it at a pixel of the picture. */
export interface DepthGrid {
  values: Float32Array<ArrayBuffer>;
  columns: number;
  rows: number;
  /** What it is a map of, in pixels: the model's input, and where in it the picture was placed. */
  input: { width: number; height: number };
  placed: { left: number; top: number; width: number; height: number };
}

/** What a depth result holds by the part that was asked for. */
export interface DepthPartFields {
  values: "depth";
  map: "map";
  colors: "colors";
}

/** A depth result of a run that was asked for these parts. */
export type DepthResultOf<Part extends DepthPart> = DepthResult & {
  [Name in DepthPartFields[Part]]: NonNullable<DepthResult[Name]>;
};

/** The foreground of a picture. */
export interface MatteResult extends RunResult {
  kind: "matte";
  /** Row by row, one value for each pixel of the source picture: 0 is background, 255 foreground. */
  alpha: Uint8Array<ArrayBuffer>;
  /**
   * The foreground, in the size of the source picture, on a transparent background or on the `background` option's.
   * Close it when you are done.
   */
  cutout: ImageBitmap;
}

/** What a prompt names. */
export interface GroundingResult extends RunResult {
  kind: "grounding";
  /** The best first. */
  detections: PhraseDetection[];
  /** Those of the prompt, in their order, as the model read them. */
  phrases: string[];
}

/** The object that a prompt points at. */
export interface MaskGenerationResult extends RunResult {
  kind: "mask-generation";
  /** One, or all that an ambiguous prompt may mean where the run asked for them. */
  masks: ObjectMask[];
  /** Which of them has the highest score. */
  best: number;
  /** Those of the best mask. Given as the `mask` of a later prompt, they are refined. */
  logits: MaskLogits;
}

/** The pixels of the picture that an object covers. */
export interface ObjectMask {
  /** Row by row, for each pixel of the source picture: 1 where the object is, 0 where it is not. */
  mask: Uint8Array<ArrayBuffer>;
  /** The IoU with the true mask that the model predicts. */
  score: number;
  /** The least box around the pixels, all 0 where there are none. */
  box: Box;
}

/** What a mask is made of, as small as the model gives it: above the threshold is the object. */
export interface MaskLogits {
  data: Float32Array<ArrayBuffer>;
  columns: number;
  rows: number;
}

/** A picture divided into regions. */
export interface ImageSegmentationResult extends RunResult {
  kind: "image-segmentation";
  mode: ImageSegmentationTask["mode"];
  regions: Region[];
  /** Row by row, for each pixel of the source picture the number of its region, from 1; 0 where there is none. */
  map: Uint16Array<ArrayBuffer>;
}

/** The picture that an image-to-image model returns: larger, cleaner, brighter, in colours or in another style. */
export interface ImageResult extends RunResult {
  kind: "image";
  /**
   * Has the source picture's size times the manifest's `scale`. Transparent where the model's input did not show the
   * source. Close it when you are done.
   */
  picture: ImageBitmap;
}

/** The outputs of a model without a known task. */
export interface TensorResult extends RunResult {
  kind: "tensor";
  outputs: Tensors;
}

/** What `run()` returns; `kind` tells which. */
export type Result =
  | DetectResult
  | PoseResult
  | SegmentResult
  | ObbResult
  | ClassifyResult
  | DepthResult
  | MatteResult
  | GroundingResult
  | ImageSegmentationResult
  | ImageResult
  | MaskGenerationResult
  | TensorResult;

/** A result that holds objects with boxes. */
export type ObjectsResult =
  | DetectResult
  | PoseResult
  | SegmentResult
  | ObbResult
  | GroundingResult
  | ImageSegmentationResult
  | MaskGenerationResult;

/** An object that was found, in pixels of the upright source picture. */
export interface Detection {
  box: Box;
  score: number;
  classIndex: number;
  /** The class's name in the manifest; "class 7" for an index that has none. */
  label: string;
}

/** An object that the prompt names: `label` are the words it was found by, `classIndex` is its phrase, from 0 on. */
export type PhraseDetection = Detection;

/** A person, or another object that has keypoints. */
export interface Pose extends Detection {
  /** In the order of the manifest's keypoints. */
  keypoints: KeypointPosition[];
}

/** An object and the pixels that it covers. */
export interface Segment extends Detection {
  mask: Mask;
}

/** A grid over a rectangle of the source picture, one cell for each pixel of the model's input. */
export interface Mask {
  /** The rectangle, in source pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
  columns: number;
  rows: number;
  /** Row by row: 1 where the object is, 0 where it is not. */
  data: Uint8Array<ArrayBuffer>;
}

/** An object in a rotated box. Its `box` is the upright one around that, as far as it lies in the picture. */
export interface OrientedObject extends Detection {
  center: Point;
  /** The lengths of the sides. */
  width: number;
  height: number;
  /** Radians from the x axis to the side of the width, towards y: clockwise on a screen. */
  angle: number;
  /** The upper left one at angle 0, then clockwise. They may lie outside of the picture. */
  corners: [Point, Point, Point, Point];
}

/** A point in pixels of the picture. */
export interface Point {
  x: number;
  y: number;
}

/** A box in pixels of the picture: left, top, right, bottom. */
export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** A keypoint in pixels of the picture. */
export interface KeypointPosition {
  name: string;
  x: number;
  y: number;
  /** 1 where the model gives none. */
  confidence: number;
}

/** A thing, or all that there is of a class. */
export interface Region {
  classIndex: number;
  label: string;
  /** Null in a semantic result, where every pixel is decided by itself. */
  score: number | null;
  /** How many pixels of the source picture it has, and which part of the picture that is. */
  pixels: number;
  share: number;
  /** The least box around them. */
  box: Box;
}

/** A class, and how probable it is. */
export interface ClassScore {
  classIndex: number;
  label: string;
  score: number;
}
