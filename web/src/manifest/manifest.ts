// Generated from webbuild/manifest/manifest.schema.json by `npm run build`. Do not edit.

/**
 * The manifest of a bundle: its model, files, golden run and samples.
 *
 *     `evaluation_thresholds` are the thresholds, by option, at which the samples are compared: the exported ones, or a
 *     lower confidence if the exported one finds nothing on any sample. `warnings` are reasons to doubt the model's
 *     results on any backend. `variants` are the other sizes and batches, omitted if there are none.
 *
 *     Source, task, inputs, outputs and graphs are those of the first stage, which is named `stage_name`. `stages` are the
 *     later ones, in the order in which they run; both are omitted if the bundle has one model. `text_encoder` computes
 *     embeddings of texts: it is not part of a run on a picture, and is loaded when it is first used.
 */
export interface Manifest {
  schema: 1 | 2;
  name: string;
  title: string;
  generator: Generator;
  engine: Engine;
  source: Source;
  task:
    | ClassifyTask
    | CropClassesTask
    | CropEmbeddingsTask
    | DepthTask
    | DetectTask
    | EmbedTask
    | GroundingTask
    | ImageTask
    | ImageSegmentationTask
    | KeypointsTask
    | MaskGenerationTask
    | MatteTask
    | ObbTask
    | PoseTask
    | SegmentTask
    | TensorTask
    | TextTask
    | TextBoxesTask
    | TextLineTask;
  inputs: (
    | ImageInput
    | CropInput
    | ReferenceInput
    | StackInput
    | FocusInput
    | SizeInput
    | OptionInput
    | PromptInput
    | PointPromptInput
    | NumberInput
    | MaskInput
    | StateInput
    | StageInput
    | TensorInput
  )[];
  outputs: Output[];
  graphs: Graph[];
  disabledTargets: DisabledTarget[];
  engines: EngineBuild[];
  files: File[];
  golden: Golden | null;
  evaluationThresholds: {
    [k: string]: number;
  };
  samples: Sample[];
  assumptions: string[];
  warnings: string[];
  variants?: Variant[];
  stageName?: string;
  stages?: Stage[];
  textEncoder?: Stage;
}
/**
 * The program that wrote the bundle.
 */
export interface Generator {
  name: "webbuild";
  version: string;
}
/**
 * The build of onnxruntime-web inside the bundle.
 */
export interface Engine {
  name: "onnxruntime-web";
  version: string;
}
/**
 * The model that was given to `webbuild pack`.
 */
export interface Source {
  file: string;
  sha256: string;
  size: number;
  producer: string;
  license: string;
}
/**
 * Classification of the whole picture.
 *
 *     `output` [1, classes] has a probability per class; with `logits`, softmax turns it into probabilities.
 */
export interface ClassifyTask {
  kind: "classify";
  output: string;
  classes: string[];
  logits: boolean;
}
/**
 * Classification of each object that an earlier stage finds.
 *
 *     `output` [crops, classes] has a probability per class; with `logits`, softmax turns it into probabilities.
 */
export interface CropClassesTask {
  kind: "crop-classes";
  output: string;
  classes: string[];
  logits: boolean;
}
/**
 * A unit vector (embedding) for each object that an earlier stage finds: similar objects have a large dot product.
 *
 *     `output` [crops, size] or [crops, size, 1, 1]. Each vector is divided by its length; a zero vector stays zero.
 */
export interface CropEmbeddingsTask {
  kind: "crop-embeddings";
  output: string;
  size: number;
}
/**
 * Depth estimation: the distance of each pixel of the picture.
 *
 *     `output` [1, height, width] or [1, 1, height, width] is a map over the whole input: distances, or with
 *     `inverse-depth` values that grow as objects come nearer. `metres` are absolute. `relative` values are known only up
 *     to a scale and an offset. `confidence` is a map of the same kind; larger is more certain. `near` and `far` are the
 *     smallest and the largest possible value of the map, if known.
 *
 *     The map is sampled at the centre of each pixel of the source picture: bilinearly, with half-pixel centres, from the
 *     cells whose centre is in the picture. Pixels whose centre is outside of the input are NaN.
 */
export interface DepthTask {
  kind: "depth";
  output: string;
  confidence: string | null;
  quantity: "depth" | "inverse-depth";
  unit: "metres" | "relative";
  near: number | null;
  far: number | null;
}
/**
 * Object detection with boxes.
 *
 *     Rows of `output` [1, rows, 6]: x1 y1 x2 y2 in input pixels, score, class index. A row with the score 0 is padding;
 *     rows are sorted by descending score.
 */
export interface DetectTask {
  kind: "detect";
  output: string;
  rows: number;
  classes: string[];
}
/**
 * A unit vector (embedding) of `size` numbers for the whole picture: similar pictures have a large dot product.
 *
 *     `pooling` computes it from `output`: with `none`, [1, size] or [1, size, 1, 1] is the vector; with `cls` it is the
 *     first token of [1, tokens, size]; with `mean` the mean of all tokens. The vector is then divided by its length; a
 *     zero vector stays zero.
 *
 *     The text encoder of a bundle has this task too, with `text_input` for its texts.
 */
export interface EmbedTask {
  kind: "embed";
  output: string;
  size: number;
  tokens: number;
  pooling: "cls" | "mean" | "none";
  textInput?: TextInput;
}
/**
 * How a text is tokenized for a text encoder, and how its cosine with a picture becomes a score.
 *
 *     The tokenizer in the file `tokenizer` turns a text into at most `length` token ids, including the first and the last
 *     special token; `padding` fills the rest. `texts` are examples. A score is `logit_scale` * cosine. Softmax over the
 *     labels turns scores into probabilities; with `logit_bias` it is the sigmoid of score + bias. If `logit_scale` is
 *     missing, it is not known.
 */
export interface TextInput {
  tokenizer: string;
  length: number;
  padding: number;
  texts: string[];
  logitScale: number | null;
  logitBias: number | null;
}
/**
 * Objects that match a text prompt, and their boxes (open-vocabulary detection, Grounding DINO).
 *
 *     `output` [1, queries, width] has a logit for each query and each token of the prompt, minus infinity where there is
 *     no token. `boxes` [1, queries, 4] are centre x y, width and height as fractions of the input. A query's score is the
 *     sigmoid of its best logit; it is a detection if the score is above `confidence`. Its text is that of the tokens
 *     whose sigmoid is above `text_threshold`, without the first and last column and without full stops. Its phrase is the
 *     phrase of the prompt with its best token.
 *
 *     The tokenizer in the file `tokenizer` turns a prompt, in lower case and with a final full stop, into at most
 *     `max_tokens` tokens. `special_tokens` are the ids of [CLS], [SEP], the full stop and the question mark, which
 *     separate phrases, and of [PAD]. `prompts` are examples; the first is used for the warm-up.
 */
export interface GroundingTask {
  kind: "grounding";
  output: string;
  boxes: string;
  queries: number;
  maxTokens: number;
  tokenizer: string;
  specialTokens: {
    [k: string]: number;
  };
  confidence: number;
  textThreshold: number;
  prompts: string[];
}
/**
 * Image to image: super-resolution, denoising, colourization, style transfer and so on.
 *
 *     `output` [1, 3, scale * height, scale * width], or with `nhwc` [1, scale * height, scale * width, 3], is a picture
 *     over the whole input at `scale` times its size: black is `low`, white is `high`, channels in the order of `order`.
 *
 *     The result has `scale` times the size of the source picture, and is sampled like a `DepthTask`'s map, per channel.
 *     level = floor(255 * min(max((value - low) / (high - low), 0), 1) + 0.5). Pixels outside of the input are
 *     transparent.
 *
 *     With `luma` the output has one channel, [1, 1, scale * height, scale * width]: Y of YCbCr (ITU-R BT.601). `low` and
 *     `high` are 16 / 255 and 235 / 255 if Y has the studio range. Cb and Cr are those of the source picture on white,
 *     resized with bicubic interpolation (see `Letterbox`):
 *
 *         Y = 255 * min(max((value - low) / (high - low), 0), 1)
 *         Cb = (B - Y') / 1.772,  Cr = (R - Y') / 1.402,  Y' = 0.299 R + 0.587 G + 0.114 B,  each clamped to -128..127
 *         red = Y + 1.402 Cr,  blue = Y + 1.772 Cb,  green = (Y - 0.299 red - 0.114 blue) / 0.587
 *
 *     With `tiles`, pictures are run in tiles; without, they are resized.
 */
export interface ImageTask {
  kind: "image";
  output: string;
  layout: "nchw" | "nhwc";
  scale: number;
  low: number;
  high: number;
  order: "bgr" | "rgb";
  luma: boolean;
  tiles: TilePlan | null;
}
/**
 * How a picture whose size differs from the input's is cut into tiles, without resizing.
 *
 *     Along an axis on which the picture has `length` pixels and the input `size`, tile k starts at offset(k):
 *
 *         offset(k) = multiple floor(k D / (n - 1)),  D = max(0, ceil((length - size) / multiple))
 *         n - 1 = ceil(D / floor((size - 2 halo) / multiple))
 *
 *     The tile's result is used from cut(k - 1) to cut(k) = floor((offset(k) + size + offset(k + 1)) / 2), for the first
 *     tile from 0, for the last one to the end of the picture. Beyond its edges the picture's last pixel is repeated.
 *
 *     - `halo`: pixels at each side of a tile that are not used, since they depend on pixels outside of the tile.
 *     - `exact`: the result equals that of the whole picture. Otherwise each tile is used for `feather` pixels beyond its
 *       cuts, at most `halo`, and blended with its neighbours there.
 *     - `seam`: the largest measured difference there, where black is 0 and white is 1.
 *
 *     Along an axis, tile k of n has the weight u_k - u_(k + 1); in the result it is the product of both axes' weights,
 *     where
 *
 *         u_k(x) = min(max((x - cut(k - 1) + feather) / (2 feather), 0), 1),  u_0 = 1, u_n = 0
 *
 *     at the centre x of a pixel of the result, in pixels of the picture. The weights at a pixel add up to 1. Without
 *     `feather` u_k is 0 before its cut and 1 after it.
 */
export interface TilePlan {
  halo: number;
  multiple: number;
  exact: boolean;
  feather: number;
  seam: number;
}
/**
 * Semantic, instance and panoptic segmentation, as in transformers' image processors.
 *
 *     `masks` [1, queries, height, width] are logits, a map over the whole input for each query. `scores` [1, queries,
 *     classes + 1] are class logits of each query; the last class is "no object". If `mask_size` [rows, columns] is not
 *     empty, the maps are first resized to it. Without `scores`, `masks` has a map of logits for each class, and the only
 *     mode is semantic.
 *
 *     A map is sampled over the source picture like a `DepthTask`'s. A pixel outside of the input has no segment. Modes:
 *
 *     - panoptic: a query's class is its most probable one. Kept are queries with a score above `threshold` that are not
 *       "no object". Every pixel is assigned to the query with the largest product of probability (the sigmoid of its map)
 *       and score. A query and its pixels are dropped unless they are more than `overlap_mask_area_threshold` of the
 *       pixels where that product is at least `mask_threshold`. All queries of a class in `label_ids_to_fuse` are one
 *       segment, with the best score.
 *     - instance: the best pairs of query and class, as many as there are queries. The mask is where the map is above 0.
 *       The score is the class score times the mean probability there; pairs with at least `threshold` are kept. The map
 *       is sampled at the nearest cell that is not after a pixel's upper left corner. The best one is on top.
 *     - semantic: every pixel is assigned to the class with the largest sum over queries of class probability times map
 *       probability, or without `scores` the largest logit.
 */
export interface ImageSegmentationTask {
  kind: "image-segmentation";
  masks: string;
  scores: string | null;
  classes: string[];
  mode: "instance" | "panoptic" | "semantic";
  labelIdsToFuse: number[];
  maskSize: number[];
  threshold: number;
  maskThreshold: number;
  overlapMaskAreaThreshold: number;
}
/**
 * Keypoints of the object in a crop, such as a person or a face.
 *
 *     The result is like a `PoseTask`'s, with the boxes, scores and classes of the detector that the crops come from. In a
 *     bundle of one stage there is one box, the whole picture, with the class `classes[0]` and the score 1.
 */
export interface KeypointsTask {
  kind: "keypoints";
  head: SimccHead | HeatmapHead | RegressionHead;
  classes: string[];
  keypoints: Keypoint[];
  skeleton: [number, number][];
}
/**
 * SimCC: two score vectors for each keypoint, along the input's width and height.
 *
 *     `x` [crops, keypoints, width * split_ratio] and `y` [crops, keypoints, height * split_ratio]. A keypoint is at
 *     (argmax of x, argmax of y) / split_ratio in pixels of the input. Its confidence is the mean of the two scores. If
 *     that is not above 0, both indices are -1.
 */
export interface SimccHead {
  kind: "simcc";
  x: string;
  y: string;
  splitRatio: number;
}
/**
 * A heat map of the input for each keypoint: `output` [crops, keypoints, rows, columns].
 *
 *     A keypoint is at the cell with the largest value, which is its confidence. If that is not above 0, the cell is (-1,
 *     -1). Otherwise the cell is refined:
 *
 *     - shift: by a quarter of a cell towards the larger of the two neighbours along each axis. Along x only for 1 < x <
 *       columns - 1 and y > 0, along y only for 1 < y < rows - 1 and x > 0.
 *     - dark, udp: by a Newton step to the maximum of a parabola through the logarithm of the map, which is blurred with a
 *       Gaussian of `sigma`, truncated beyond `radius` cells. Outside of the map, by `border`, the cells are mirrored with
 *       the edge (`symmetric`: b a | a b) or without it (`reflect`: c b | a b), or are zeros. For `dark`, blurred values
 *       are at least 1e-10, second derivatives are two cells wide, and cells within two of an edge are not refined. For
 *       `udp`, values are clamped to 0.001..50, and derivatives are one cell wide.
 *
 *     The cell (x, y) is at (x * width / columns, y * height / rows) of the input, or with `unbiased` at
 *     (x * (width - 1) / (columns - 1), y * (height - 1) / (rows - 1)).
 */
export interface HeatmapHead {
  kind: "heatmap";
  output: string;
  refine: "dark" | "none" | "shift" | "udp";
  sigma: number;
  radius: number;
  border: "reflect" | "symmetric" | "zero";
  unbiased: boolean;
}
/**
 * Keypoints as numbers: `output` [crops, keypoints * columns] or [crops, keypoints, columns].
 *
 *     Axes of size 1 may be between these. `columns` are x and y, in this order or y first, and then a depth z or a
 *     confidence c. In the range `unit` 0 and 1 are the edges of the input, in `signed` -1 and 1; `pixels` are pixels of
 *     the input. Without c the confidence is 1.
 */
export interface RegressionHead {
  kind: "regression";
  output: string;
  columns: "xy" | "xyc" | "xyz" | "yxc";
  range: "pixels" | "signed" | "unit";
}
/**
 * A keypoint's name, and its side if limbs are drawn by side.
 */
export interface Keypoint {
  name: string;
  side: "left" | "middle" | "right";
}
/**
 * Masks for a prompt of clicks, a box or a previous mask (promptable segmentation, SAM).
 *
 *     Prompts and masks are in the frame: `frame` [height, width] pixels, with the encoder's input in its upper left
 *     corner, and the picture where its `Letterbox` places it. A click at x y of the picture is in the frame at left + x *
 *     width / source width, top + y * height / source height; `unit` coordinates are these divided by the frame's width
 *     and height. If the decoder has another resolution than the encoder, points and boxes are multiplied by
 *     `point_scale`. See `PointPromptInput` for labels.
 *
 *     A `box` is passed as two points at its `corners`, upper left first, after the clicks; as a separate `input`; or not
 *     at all (`none`). With `padding_point`, a prompt without a box gets a point 0 0 with the label -1 at its end;
 *     otherwise the graph adds its padding itself.
 *
 *     `masks` [1, masks, h, w] or [1, objects, masks, h, w] are logits over the whole frame. `scores` [1, masks] or [1,
 *     objects, masks] are the predicted IoU of each mask. A graph that takes prompts for several objects in a run can have
 *     [objects, masks, ...] instead. The mask `single` is for unambiguous prompts. The masks `multi` are the possible
 *     parts and wholes of an ambiguous prompt; the best has the highest score. A caller that requests all masks gets
 *     `multi`. Otherwise the result is the best of `multi` for a single click, and `single` for any other prompt. If
 *     `single` is None, it is always the best of `multi`; if `multi` is empty, always `single`.
 *
 *     A pixel of the picture is in a mask if its logit is above `threshold`. With `through_input` logits are resized to
 *     the frame, cropped to the picture's place in it and resized to the picture; without, they are sampled like a
 *     `DepthTask`'s map. Both are bilinear, with half-pixel centres and clamped edges.
 */
export interface MaskGenerationTask {
  kind: "mask-generation";
  masks: string;
  scores: string;
  single: number | null;
  multi: number[];
  /**
   * @minItems 2
   * @maxItems 2
   */
  frame: [number, number];
  coordinates: "pixels" | "unit";
  box: "corners" | "input" | "none";
  paddingPoint: boolean;
  throughInput: boolean;
  threshold: number;
  pointScale?: number;
}
/**
 * Matting: the opacity (alpha) of the foreground at each pixel of the picture.
 *
 *     `output` is a map over the whole input: [1, height, width], [1, channels, height, width], or with `nhwc` [1, height,
 *     width, channels]; `channel` is the one that is used. `activation` is applied first: a sigmoid, or a softmax over the
 *     channels. Then `low` is transparent and `high` opaque; with `min_max` they are the smallest and the largest finite
 *     value of the map, if these differ. alpha = min(max((value - low) / (high - low), 0), 1).
 *
 *     Alpha is sampled over the source picture like a `DepthTask`'s map, and is 0 outside of the input and where the
 *     output is NaN. level = floor(255 * alpha + 0.5).
 *
 *     `foreground` [1, 3, height, width], or with `nhwc` [1, height, width, 3], has the foreground's colours, 0..1, if the
 *     model returns them: pixels that are neither transparent nor opaque take their colour from it.
 *
 *     With `tiles`, which are exact, pictures are run in tiles; without, they are resized. Inexact tiles are never
 *     blended: the foreground depends on the whole picture, and where two tiles disagree about it, the blend would be
 *     half-transparent.
 */
export interface MatteTask {
  kind: "matte";
  output: string;
  layout: "nchw" | "nhwc";
  channel: number;
  activation: "none" | "sigmoid" | "softmax";
  low: number;
  high: number;
  minMax: boolean;
  foreground: string | null;
  tiles: TilePlan | null;
}
/**
 * Object detection with rotated boxes (oriented bounding boxes).
 *
 *     Rows of `output` [1, rows, 7]: centre x, centre y, width, height in input pixels, score, class index, and the angle
 *     in radians from the x axis to the width's side, towards y (clockwise on a screen). A row with the score 0 is
 *     padding; rows are sorted by descending score.
 */
export interface ObbTask {
  kind: "obb";
  output: string;
  rows: number;
  classes: string[];
}
/**
 * Pose estimation: people and their keypoints.
 *
 *     Rows of `output` [1, rows, 6 + keypoints * keypoint_size]: x1 y1 x2 y2 in input pixels, score, class index, then per
 *     keypoint x y in input pixels and, if keypoint_size is 3, its confidence. A row with the score 0 is padding; rows are
 *     sorted by descending score.
 */
export interface PoseTask {
  kind: "pose";
  output: string;
  rows: number;
  classes: string[];
  keypoints: Keypoint[];
  keypointSize: 2 | 3;
  skeleton: [number, number][];
}
/**
 * Objects, their boxes and their masks (instance segmentation with prototypes).
 *
 *     Rows of `output` [1, rows, 6 + mask_coefficients]: x1 y1 x2 y2 in input pixels, score, class index, then the
 *     coefficients of the prototypes in `protos` [1, mask_coefficients, height, width], which cover the whole input. A row
 *     with the score 0 is padding; rows are sorted by descending score.
 *
 *     A mask covers the input pixels whose centre is in the object's box (left and upper edges included) and in the
 *     picture, and where the weighted sum of the prototypes is above 0. The sum is computed in the prototypes' grid, then
 *     sampled bilinearly, with half-pixel centres and clamped edges.
 */
export interface SegmentTask {
  kind: "segment";
  output: string;
  protos: string;
  rows: number;
  classes: string[];
  maskCoefficients: number;
}
/**
 * A model with an unknown task: its inputs and outputs are plain tensors.
 *
 *     `joined` are the tensors that the graph concatenates to an output as its last step, if one of them has the three
 *     channels of a picture; the first one takes the most steps to compute.
 */
export interface TensorTask {
  kind: "tensor";
  joined: JoinedTensor[];
}
/**
 * Channels of a float32 output, from `first` up to `end` along `axis`, that are a separate tensor in the graph.
 */
export interface JoinedTensor {
  output: string;
  axis: 1 | 3;
  first: number;
  end: number;
}
/**
 * The text of each line that an earlier stage finds; see `TextRecognition`.
 *
 *     The output is [crops, T, C], or [T, 1, C] for one crop. Lines without any recognized text are omitted.
 */
export interface TextTask {
  kind: "text";
  output: string;
  characters: string;
  blank: number;
  logits: boolean;
  decoding: "ctc" | "end-token";
}
/**
 * Text detection: differentiable binarization (DB, arXiv 1911.08947), decoded as PaddleOCR's DBPostProcess does.
 *
 *     `output` [1, 1, height, width] is the probability of text in each cell of the input, after `activation`. Cells above
 *     `threshold` are set. The rectangle of the smallest area is fitted to each contour of the set cells, also to the
 *     contours of holes; at most `max_outlines` contours are used. Its corners are rounded towards 0. Its score is the
 *     mean of the cells inside, and must be at least `confidence`. It then grows on every side by its area times
 *     `unclip_ratio`, divided by its perimeter. Its shorter side must be at least 3 cells before growing, and 5 after.
 */
export interface TextBoxesTask {
  kind: "text-boxes";
  output: string;
  activation: "none" | "sigmoid";
  threshold: number;
  confidence: number;
  unclipRatio: number;
  maxOutlines: number;
}
/**
 * The text of a picture of one line; see `TextRecognition`.
 *
 *     The output is [1, T, C] for the layout `ntc`, [T, 1, C] for `tnc`.
 */
export interface TextLineTask {
  kind: "text-line";
  output: string;
  characters: string;
  blank: number;
  logits: boolean;
  decoding: "ctc" | "end-token";
  layout: "ntc" | "tnc";
}
/**
 * A picture. pixel = (value * scale - mean[c]) / std[c], channels in the order of `color`.
 *
 *     `gray` is one channel, 0.299 R + 0.587 G + 0.114 B, not rounded. The fourth channel of `rgba` is 255 at every pixel,
 *     also in the padding: transparent pictures are first composited on white. For `uint8` and `int32` a pixel is rounded
 *     (ties to even) and clamped to 0..255. With `mask` the fourth channel is not alpha but the inpainting mask. The
 *     layout `hwc` is [height, width, channels], without a batch axis.
 */
export interface ImageInput {
  kind: "image";
  name: string;
  dtype: "float32" | "int32" | "uint8";
  shape: number[];
  layout: "hwc" | "nchw" | "nhwc";
  color: "bgr" | "gray" | "rgb" | "rgba";
  scale: number;
  mean: number[];
  std: number[];
  letterbox: Letterbox;
  mask?: MaskChannel;
}
/**
 * How a picture of any size (w by h) is resized to the input's fixed size (width by height).
 *
 *     `letterbox` keeps the aspect ratio: gain = min(height / h, width / w). The picture is resized to round(w * gain) by
 *     round(h * gain), at least 1 (ties to even; up with the rounding `half-up`). With the anchor `center`,
 *     round((width - w') / 2 - 0.1) columns and round((height - h') / 2 - 0.1) rows of `pad` are put before it, with
 *     `top-left` none. The rest of the padding is on the right and below.
 *
 *     `crop` keeps the aspect ratio, and the picture covers the input: one side has the input's size, the other is
 *     floor(width * h / w) or floor(height * w / h). Then round((w' - width) / 2) columns and round((height' - height) /
 *     2) rows (ties to even; with `top-left` none) are cut off before it, and the rest on the right and below. For a
 *     square input this is torchvision's Resize to the shorter side and CenterCrop. With `edge` it is Resize(edge) and a
 *     smaller CenterCrop: the picture covers a square of `edge` pixels.
 *
 *     `line` resizes the picture to the input's height and keeps the aspect ratio: it fills min(width, ceil(w * height /
 *     h)) columns from the left; the rest is `pad`. A line of text that is too long is squeezed.
 *
 *     `stretch` ignores the aspect ratio, without padding. `pad` is one level for all colours, a level for each of red,
 *     green and blue, or `mean`: the input's mean, which is 0 in the tensor.
 *
 *     The resamplers are defined in `webbuild/preprocess/resample.py`; all compute in float64.
 */
export interface Letterbox {
  mode: "crop" | "letterbox" | "line" | "stretch";
  anchor: "center" | "top-left";
  pad: number | "mean" | [number, number, number];
  interpolation: "bicubic" | "bilinear" | "bilinear-antialias" | "nearest";
  rounding?: "half-up";
  edge?: number;
}
/**
 * The inpainting mask in the fourth channel of a picture's input: `hole` in the hole, `known` elsewhere.
 *
 *     See `MaskInput`. With `empties_picture` the other three channels are 0 in the hole.
 */
export interface MaskChannel {
  hole: number;
  known: number;
  emptiesPicture: boolean;
}
/**
 * The part of a picture around a box, cut out by an affine transform.
 *
 *     Pixels become tensor values as in `ImageInput`. The boxes are those of an earlier stage with an area above 0, a
 *     score of at least `min_score`, and one of `classes` (empty: any class): the best `max_crops` of them. In a bundle of
 *     one stage the only box is the whole picture.
 *
 *     The box with the centre (cx, cy) is multiplied by `padding`. With the aspect `keep` it is then enlarged along one
 *     side to the aspect ratio of the input. It is now w by h. The point (x, y) of the picture is mapped to the input's
 *     point
 *
 *         ((x - cx) * width / w + width / 2, (y - cy) * height / h + height / 2)
 *
 *     or with `unbiased` (UDP) to
 *
 *         ((x - cx + w / 2) * (width - 1) / w, (y - cy + h / 2) * (height - 1) / h).
 *
 *     `template` is a list of points in the input, one for each keypoint of a box. With it, the transform is the
 *     similarity (rotation, scale, translation) that maps the keypoints to these points with the least squared error
 *     (Umeyama).
 *
 *     With the aspect `line` the transform follows the rotated box: its `polygon`, four corners clockwise from the start
 *     of the text, else the upright box. `padding` is not used. A line at least 1.5 times as high as wide starts at its
 *     second corner, which rotates it by 90 degrees. A line with the sides w and h fills the input's height and the first
 *     min(width, ceil(height * w / h)) columns; the rest is `pad`. The corners a, b, c, d are mapped to (0, 0), (columns,
 *     0), (columns, height), (0, height). With `half_turn` an earlier stage classifies the orientation of each line: the
 *     corners of an upside-down line are c, d, a, b. With `split` a line that is too wide is not squeezed horizontally: it
 *     fills all columns and the first max(1, floor(width * h / w)) rows, or is read in parts.
 *
 *     Pixel i is at the integer i, as in OpenCV. Pixels are sampled bilinearly in float64, without rounding; pixels
 *     outside of the picture are `pad`.
 */
export interface CropInput {
  kind: "crop";
  name: string;
  dtype: "float32" | "int32" | "uint8";
  shape: number[];
  layout: "hwc" | "nchw" | "nhwc";
  color: "bgr" | "gray" | "rgb" | "rgba";
  scale: number;
  mean: number[];
  std: number[];
  padding: number;
  aspect: "keep" | "line" | "stretch";
  unbiased: boolean;
  pad: number;
  template: [number, number][];
  classes: number[];
  minScore: number;
  maxCrops: number;
  halfTurn?: HalfTurn;
  split?: LineSplit;
}
/**
 * Lines to rotate by 180 degrees: those whose `classes` have a score above `score` for this `label`.
 */
export interface HalfTurn {
  label: string;
  score: number;
}
/**
 * Lines to read in parts: those more than `above` times as wide as high.
 *
 *     A part is `part` times as wide as the line is high, and overlaps the previous part by `overlap` of its width. The
 *     last part ends at the end of the line, and may overlap more.
 */
export interface LineSplit {
  above: number;
  part: number;
  overlap: number;
}
/**
 * A second picture, such as a style, a reference or the next frame, with its own preprocessing; see `ImageInput`.
 *
 *     The caller passes it to `run()` as `reference`. Its size may differ from the picture's.
 */
export interface ReferenceInput {
  kind: "reference";
  name: string;
  dtype: "float32" | "int32" | "uint8";
  shape: number[];
  layout: "hwc" | "nchw" | "nhwc";
  color: "bgr" | "gray" | "rgb" | "rgba";
  scale: number;
  mean: number[];
  std: number[];
  letterbox: Letterbox;
}
/**
 * `count` pictures of one scene with the same size, each preprocessed as in `ImageInput`.
 *
 *     They are stacked in `shape`, [1, count, 3, height, width] or [count, 3, height, width].
 */
export interface StackInput {
  kind: "stack";
  name: string;
  dtype: "float32";
  shape: number[];
  count: number;
  color: "bgr" | "rgb";
  scale: number;
  mean: number[];
  std: number[];
  letterbox: Letterbox;
}
/**
 * A number for each picture of the stack, such as its focus distance.
 *
 *     The caller passes them to `run()` as `focusDistances`; the runtime fills in `default`.
 */
export interface FocusInput {
  kind: "focus";
  name: string;
  dtype: "float32";
  shape: number[];
  default: number[];
}
/**
 * The width and height of a picture in pixels, two integers in the order of `order`.
 *
 *     `size_of` selects the source `picture` (upright) or the `input` that it is resized to. The runtime fills it in, in
 *     the type of the input. A run of plain tensors without it gets the size of the input.
 */
export interface SizeInput {
  kind: "size";
  name: string;
  dtype: "float32" | "int32" | "int64";
  shape: number[];
  order: "height-width" | "width-height";
  sizeOf: "input" | "picture";
}
/**
 * A number that the caller may pass to `run()` as `option`; the runtime fills in `default`.
 */
export interface OptionInput {
  kind: "option";
  name: string;
  dtype: "float32";
  shape: number[];
  option: "confidence" | "iou";
  default: number;
  minimum: number;
  maximum: number;
}
/**
 * One tensor of the text prompt; the runtime fills it in.
 *
 *     For n tokens, zero-padded to `shape`, as `dtype`:
 *
 *     - `input_ids`: the token ids (padded with the id of [PAD]).
 *     - `attention_mask`: ones.
 *     - `token_type_ids`: zeros.
 *     - `position_ids`: the position of each token in its phrase.
 *     - `self_attention_mask` [1, n, n]: whether one token attends to another: itself, and the tokens of its phrase. A
 *       phrase ends with its separator.
 */
export interface PromptInput {
  kind: "prompt";
  name: string;
  dtype: "bool" | "float32" | "int32" | "int64";
  shape: number[];
  role: "attention_mask" | "input_ids" | "position_ids" | "self_attention_mask" | "token_type_ids";
}
/**
 * One tensor of a prompt of clicks, a box and a previous mask; the runtime fills it in.
 *
 *     - `points` [1, points, 2] or [1, objects, points, 2]: x y each, in the coordinates of the `MaskGenerationTask`.
 *     - `labels` [1, points] or [1, objects, points]: 1 for a foreground click, 0 for a background click, 2 and 3 for the
 *       upper left and lower right corner of a box, -1 for a padding point of a prompt without a box. -10 is transformers'
 *       padding to a length: the point's embedding is 0, but attention includes it. Without this input all points are
 *       foreground clicks.
 *     - `box` [1, objects, 4] or [1, 4]: x1 y1 x2 y2. `shape` is [1, 0, 4] in a graph for prompts without a box, which
 *       then has no such input.
 *     - `mask` [1, 1, h, w]: the mask logits of a previous run over the frame, 0 if there is none.
 *     - `has-mask`: 1 if there is a previous mask, else 0.
 *
 *     A graph that takes a click on each of several objects in a run has [objects, points, 2], [objects, points] and so
 *     on, if there is no separate axis of objects.
 *
 *     The number of points is fixed by the graph, and includes the task's padding point: other padding changes the result.
 */
export interface PointPromptInput {
  kind: "point-prompt";
  name: string;
  dtype: "float32" | "int32" | "int64";
  shape: number[];
  role: "box" | "has-mask" | "labels" | "mask" | "points";
}
/**
 * A number next to a picture, such as an exposure: `shape` has one element.
 *
 *     The caller may pass it to `run()` in `numbers`, by name; the runtime fills in `default`.
 */
export interface NumberInput {
  kind: "number";
  name: string;
  dtype: "float32";
  shape: number[];
  default: number;
}
/**
 * The inpainting mask: `hole` at pixels that the model fills in, `known` at all others.
 *
 *     The caller passes it to `run()` as `mask`, in pixels of the picture. It is placed in the input like the picture, see
 *     `ImageInput`: a pixel of the input is in the hole if it covers a pixel of the hole at least partly. With
 *     `empties_picture` the picture's tensor is 0 in the hole, in all channels.
 */
export interface MaskInput {
  kind: "mask";
  name: string;
  dtype: "bool" | "float32" | "int16" | "int32" | "int64" | "int8" | "uint16" | "uint32" | "uint64" | "uint8";
  shape: number[];
  hole: number;
  known: number;
  emptiesPicture: boolean;
}
/**
 * The state of a recurrent model, such as a hidden state: an input that takes an output of the previous run.
 *
 *     The first run of a sequence takes zeros. Each later run takes the value of the graph's output `output` in the
 *     previous run, which has the same type and shape. That output is not part of the result. If the model has no other
 *     output, it is, and is listed in `outputs` too.
 */
export interface StateInput {
  kind: "state";
  name: string;
  dtype: "bool" | "float32" | "int16" | "int32" | "int64" | "int8" | "uint16" | "uint32" | "uint64" | "uint8";
  shape: number[];
  output: string;
}
/**
 * A tensor from an earlier stage, such as the embedding of a picture: the output `output` of `stage`.
 *
 *     That output has the same type and shape. The runtime fills it in.
 */
export interface StageInput {
  kind: "stage";
  name: string;
  dtype: "bool" | "float32" | "int16" | "int32" | "int64" | "int8" | "uint16" | "uint32" | "uint64" | "uint8";
  shape: number[];
  stage: string;
  output: string;
}
/**
 * A tensor that the caller must give.
 */
export interface TensorInput {
  kind: "tensor";
  name: string;
  dtype: "bool" | "float32" | "int16" | "int32" | "int64" | "int8" | "uint16" | "uint32" | "uint64" | "uint8";
  shape: number[];
}
/**
 * A tensor that a run returns.
 */
export interface Output {
  name: string;
  dtype: "bool" | "float32" | "int16" | "int32" | "int64" | "int8" | "uint16" | "uint32" | "uint64" | "uint8";
  shape: number[];
}
/**
 * One ONNX graph of the bundle, for one target. Graphs of the same precision share their weight files.
 *
 *     Several graphs for `webgpu` are ordered best first: the runtime takes the first whose `features` the adapter has and
 *     whose self-test passes.
 *
 *     - `cpuNodes`: names of nodes to place on the CPU, because their GPU kernels give wrong results.
 *     - `allOnGpu`: all other nodes run on the GPU.
 *     - `features`: WebGPU features that the adapter must have, otherwise the graph throws.
 *     - `precision`: fp32 as exported; fp16 with every convertible node in half precision; mixed with some of these nodes
 *       kept in float32.
 *     - `weight_dtype`: int8 if the weights are stored as integers with scales, and dequantized when the graph is loaded.
 *     - `macs`: multiply-accumulates of a run, as far as shapes are known.
 *     - `optimized`: the engine's optimizer would not improve the graph, so it is turned off when the graph is loaded.
 *     - `suppression`: the file ends before NMS, which the runtime computes. `outputs` are those after NMS.
 */
export interface Graph {
  target: "wasm" | "webgpu";
  /**
   * Relative to the manifest, with forward slashes.
   */
  file: string;
  /**
   * Items: Relative to the manifest, with forward slashes.
   */
  weights: string[];
  nodes: number;
  outputs: Output[];
  headStatus: HeadStatus | null;
  cpuNodes: string[];
  allOnGpu: boolean;
  features: "shader-f16"[];
  precision: "fp16" | "fp32" | "mixed";
  weightDtype: "fp32" | "int8";
  macs: number;
  optimized: boolean;
  suppression?: Suppression;
}
/**
 * The output in which a graph reports the status of its fixed-shape detection head.
 *
 *     The float32 output `output` [2] is (converged as 0 or 1, number of candidates above the confidence threshold before
 *     suppression). If it has not converged, or there are more candidates than `capacity`, the run is repeated on the
 *     graph of target `fallback`.
 */
export interface HeadStatus {
  output: string;
  capacity: number;
  rounds: number;
  fallback: "wasm" | "webgpu";
}
/**
 * Exact greedy NMS after a graph, in the runtime's compute shader.
 *
 *     It runs on the CPU if the shader's result could differ. Instead of `outputs` the file has three float32 outputs for
 *     all A anchors:
 *
 *     - `boxes` [A, 4]: two corners, with an offset per class so that boxes of different classes do not overlap;
 *     - `scores` [A], or with `multi_label` the scores of each label after another, [count * A];
 *     - `rows` [A, columns]: the columns of all `outputs`, side by side.
 *
 *     Candidates are the anchors with a score above the input `confidence`, sorted by descending score, ties by index. A
 *     candidate is kept unless a kept one before it overlaps it by more than the input `iou`; at most `max_detections` are
 *     kept. Each of `outputs`, [..., rows, columns] or [rows], has the rows of the kept anchors, then zeros; `row_count`
 *     is the number of kept anchors. Without `confidence` every finite score is a candidate. Without `iou` any overlap
 *     suppresses.
 *
 *     With `rotated`, `boxes` [A, 5] are centre x y, width, height and angle, and the overlap is that of two normal
 *     distributions (Ultralytics' probabilistic IoU). A candidate is then kept unless any candidate before it overlaps it,
 *     even a suppressed one. With `max_candidates` only the first ones are candidates.
 */
export interface Suppression {
  outputs: Output[];
  boxes: string;
  scores: string;
  rows: string;
  confidence: string | null;
  iou: string | null;
  maxDetections: number;
  rotated?: true;
  maxCandidates?: number;
  multiLabel?: MultiLabel;
  rowCount?: Output;
}
/**
 * Multi-label NMS: every label has a score for each box, and each label is suppressed separately.
 *
 *     At most `max_detections` boxes are kept per label. With the `order` `score` rows are sorted by score over all
 *     labels, ties by label and then by box. With `label` they are sorted by label, then by score. If a box is kept for a
 *     label, `score_column` of its row is this score, and `label_column` this label.
 */
export interface MultiLabel {
  count: number;
  maxDetections: number;
  order: "label" | "score";
  scoreColumn?: number;
  labelColumn?: number;
}
/**
 * A target whose graph would throw, give wrong results or create no session.
 *
 *     The bundle has no graph for it: the model runs on WASM instead. `code` is the code of the finding.
 */
export interface DisabledTarget {
  target: "webgpu";
  code: string;
  reason: string;
}
/**
 * One build of the engine: its JavaScript entry, its glue code, its (compressed) WebAssembly.
 */
export interface EngineBuild {
  build: "asyncify" | "jspi" | "wasm";
  /**
   * Relative to the manifest, with forward slashes.
   */
  entry: string;
  /**
   * Relative to the manifest, with forward slashes.
   */
  glue: string;
  /**
   * Relative to the manifest, with forward slashes.
   */
  wasm: string;
}
/**
 * A file of the bundle that the runtime or the page loads.
 *
 *     `size` and `sha256` are those of the stored file. A compressed file, by its `encoding`, has `uncompressed_size`
 *     bytes with the hash `uncompressed_sha256` after decompression; some hosts decompress it themselves.
 *
 *     A file with `parts` is not stored itself: it is the concatenation of the contents of its parts, which are files of
 *     this list. Its `size` and `sha256` are then those of the concatenated stored parts. With `quantization` int8 the
 *     contents are integers with scales, from which the `uncompressed_size` bytes are computed
 *     (webbuild/quantization/weight_format.py).
 */
export interface File {
  /**
   * Relative to the manifest, with forward slashes.
   */
  path: string;
  size: number;
  sha256: string;
  encoding: "gzip" | "identity" | "zstd";
  uncompressedSize: number;
  uncompressedSha256?: string;
  /**
   * Items: Relative to the manifest, with forward slashes.
   */
  parts: string[];
  quantization: "int8" | "none";
}
/**
 * A golden run: inputs and their known outputs, stored as raw little-endian tensors.
 *
 *     The inputs in `uint8_inputs` are pictures, stored with one byte per element: the colour level 0..255 before the
 *     input's scaling and normalization, which are computed in float64. `sequence` is only there for a model with states,
 *     `tolerance` for one that quantizes values in its graph: the difference that the self-test allows, relative to the
 *     root mean square of an output, in place of 0.02.
 */
export interface Golden {
  sample: string;
  inputs: {
    /**
     * Relative to the manifest, with forward slashes.
     */
    [k: string]: string;
  };
  outputs: {
    /**
     * Relative to the manifest, with forward slashes.
     */
    [k: string]: string;
  };
  uint8Inputs: string[];
  sequence?: GoldenSequence;
  tolerance?: number;
}
/**
 * The results of a model with states when the inputs of its golden run are run `steps` times.
 *
 *     Each run takes the states of the previous one. `outputs` are some outputs of the last run, states among them: they
 *     change if a state is not carried over.
 */
export interface GoldenSequence {
  steps: number;
  outputs: {
    /**
     * Relative to the manifest, with forward slashes.
     */
    [k: string]: string;
  };
}
/**
 * A picture to try the model on, or a stack of pictures: `stack` lists all of them, `file` is the first.
 *
 *     `focus_distances` has a number for each picture of the stack. `prompt` is the text prompt.
 */
export interface Sample {
  /**
   * Relative to the manifest, with forward slashes.
   */
  file: string;
  title: string;
  width: number;
  height: number;
  /**
   * Items: Relative to the manifest, with forward slashes.
   */
  stack: string[];
  focusDistances: number[];
  prompt: string;
}
/**
 * The model for another picture size, or for several pictures in one run: the fields that differ.
 *
 *     Its graphs share the weights of the manifest's. For a batch of n every input picture and every output has n instead
 *     of 1 as its first size; an option is the same for the whole batch.
 */
export interface Variant {
  task:
    | ClassifyTask
    | CropClassesTask
    | CropEmbeddingsTask
    | DepthTask
    | DetectTask
    | EmbedTask
    | GroundingTask
    | ImageTask
    | ImageSegmentationTask
    | KeypointsTask
    | MaskGenerationTask
    | MatteTask
    | ObbTask
    | PoseTask
    | SegmentTask
    | TensorTask
    | TextTask
    | TextBoxesTask
    | TextLineTask;
  inputs: (
    | ImageInput
    | CropInput
    | ReferenceInput
    | StackInput
    | FocusInput
    | SizeInput
    | OptionInput
    | PromptInput
    | PointPromptInput
    | NumberInput
    | MaskInput
    | StateInput
    | StageInput
    | TensorInput
  )[];
  outputs: Output[];
  graphs: Graph[];
  disabledTargets: DisabledTarget[];
  evaluationThresholds: {
    [k: string]: number;
  };
}
/**
 * A model of a bundle that runs after another, such as a decoder after its encoder.
 *
 *     Inputs of the kind `stage` take outputs of earlier stages. The golden run has tensors for them too, so that each
 *     stage can be tested alone.
 */
export interface Stage {
  name: string;
  source: Source;
  task:
    | ClassifyTask
    | CropClassesTask
    | CropEmbeddingsTask
    | DepthTask
    | DetectTask
    | EmbedTask
    | GroundingTask
    | ImageTask
    | ImageSegmentationTask
    | KeypointsTask
    | MaskGenerationTask
    | MatteTask
    | ObbTask
    | PoseTask
    | SegmentTask
    | TensorTask
    | TextTask
    | TextBoxesTask
    | TextLineTask;
  inputs: (
    | ImageInput
    | CropInput
    | ReferenceInput
    | StackInput
    | FocusInput
    | SizeInput
    | OptionInput
    | PromptInput
    | PointPromptInput
    | NumberInput
    | MaskInput
    | StateInput
    | StageInput
    | TensorInput
  )[];
  outputs: Output[];
  graphs: Graph[];
  disabledTargets: DisabledTarget[];
  golden: Golden | null;
  evaluationThresholds: {
    [k: string]: number;
  };
  variants?: Variant[];
  glueModule?: Glue;
}
/**
 * A JavaScript module that computes inputs of a stage from outputs of earlier stages, in the worker.
 *
 *     Its default export gets the tensors listed in `reads`, and returns tensors for the inputs of the kind `tensor`.
 */
export interface Glue {
  /**
   * Relative to the manifest, with forward slashes.
   */
  file: string;
  reads: StageOutput[];
}
/**
 * An output of a stage.
 */
export interface StageOutput {
  stage: string;
  output: string;
}
