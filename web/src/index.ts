// The runtime's public API: load() and the functions and types around it.

export { clearCache, isCached } from "./api/cached-bundle.js";
export { type ErrorCode, WebbuildError } from "./api/errors.js";
export { load } from "./api/load.js";
export { Model } from "./api/model.js";
export { Scene } from "./api/scene.js";
export { ModelState } from "./api/state.js";
export { Stream } from "./api/stream.js";
export type * from "./api/types.js";
export {
  type CocoAnnotation,
  type CocoDataset,
  type CocoOptions,
  type CocoRle,
  toCoco,
} from "./export/coco.js";
export { toPng } from "./export/cutout.js";
export { toHocr } from "./export/hocr.js";
export { toJson } from "./export/plain-json.js";
export { maskPixels } from "./export/rle.js";
export {
  type SupervisionDetection,
  type SupervisionFrame,
  type SupervisionOptions,
  toSupervision,
} from "./export/supervision.js";
export { loadIndex, type PictureIndex } from "./search/picture-index.js";
export { type SimilarPicture, similar } from "./search/similar.js";
export { depthAt } from "./tasks/depth/depth-at.js";
export { Tracker } from "./tracking/tracker.js";
export { countCrossings, inZone } from "./tracking/zones.js";
