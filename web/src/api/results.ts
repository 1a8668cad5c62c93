// The results of a run, for any task. The type of each task's result is next to the task.

import type { ClassifyResult } from "../tasks/classify/result.js";
import type { CropClassesResult } from "../tasks/crop-classes/result.js";
import type { CropEmbeddingsResult } from "../tasks/crop-embeddings/result.js";
import type { DepthResult } from "../tasks/depth/result.js";
import type { DetectResult } from "../tasks/detect/result.js";
import type { EmbedResult } from "../tasks/embed/result.js";
import type { GroundingResult } from "../tasks/grounding/result.js";
import type { ImageResult } from "../tasks/image/result.js";
import type { ImageSegmentationResult } from "../tasks/image-segmentation/result.js";
import type { MaskGenerationResult } from "../tasks/mask-generation/result.js";
import type { MatteResult } from "../tasks/matte/result.js";
import type { ObbResult } from "../tasks/obb/result.js";
import type { PoseResult } from "../tasks/pose/result.js";
import type { SegmentResult } from "../tasks/segment/result.js";
import type { TensorResult } from "../tasks/tensor/result.js";
import type { TextResult } from "../tasks/text/result.js";
import type { TextBoxesResult } from "../tasks/text-boxes/result.js";
import type { TextLineResult } from "../tasks/text-line/result.js";

/** What `run()` returns; `kind` says which. */
export type Result =
  | DetectResult
  | PoseResult
  | SegmentResult
  | ObbResult
  | ClassifyResult
  | CropClassesResult
  | CropEmbeddingsResult
  | EmbedResult
  | DepthResult
  | MatteResult
  | GroundingResult
  | ImageSegmentationResult
  | ImageResult
  | MaskGenerationResult
  | TextLineResult
  | TextBoxesResult
  | TextResult
  | TensorResult;

/** A result that contains objects with boxes. */
export type ObjectsResult =
  | DetectResult
  | PoseResult
  | SegmentResult
  | ObbResult
  | CropClassesResult
  | CropEmbeddingsResult
  | GroundingResult
  | ImageSegmentationResult
  | MaskGenerationResult
  | TextBoxesResult;

export type * from "../tasks/classify/result.js";
export type * from "../tasks/crop-attributes.js";
export type * from "../tasks/crop-classes/result.js";
export type * from "../tasks/crop-embeddings/result.js";
export type * from "../tasks/depth/result.js";
export type * from "../tasks/detect/result.js";
export type * from "../tasks/embed/result.js";
export type * from "../tasks/grounding/result.js";
export type * from "../tasks/image/result.js";
export type * from "../tasks/image-segmentation/result.js";
export type * from "../tasks/mask-generation/everything/result.js";
export type * from "../tasks/mask-generation/result.js";
export type * from "../tasks/matte/result.js";
export type * from "../tasks/obb/result.js";
export type * from "../tasks/pose/result.js";
export type * from "../tasks/segment/result.js";
export type * from "../tasks/tensor/result.js";
export type * from "../tasks/text/result.js";
export type * from "../tasks/text-boxes/result.js";
export type * from "../tasks/text-line/result.js";
