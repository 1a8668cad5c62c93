// Generated from webbuild/manifest/manifest.schema.json by `npm run build`. Do not edit.

/**
 * Everything that a bundle says of itself.
 *
 *     `evaluation_thresholds` holds, by option, the thresholds at which the samples are compared: the exported ones, or a
 *     lower confidence where those find nothing on any sample. `warnings` speak against the answers, whatever computes
 *     them. `variants` are the other sizes and batches, left out where there are none.
 *
 *     Source, task, inputs, outputs and graphs are those of the first stage, which is named `stage_name`. `stages` are the
 *     later ones, in the order in which they run; both are left out where the bundle holds one model. `text_encoder` makes
 *     vectors of texts beside those of pictures: it takes part in no run on a picture, and is loaded when it is asked.
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
 * The model as it was given to `webbuild pack`.
 */
export interface Source {
  file: string;
  sha256: string;
  size: number;
  producer: string;
  license: string;
}
/**
 * What the whole picture shows.
 *
 *     `output` [1, classes] holds a probability each or, with `logits`, what softmax makes one of.
 */
export interface ClassifyTask {
  kind: "classify";
  output: string;
  classes: string[];
  logits: boolean;
}
/**
 * The classes of each object that an earlier stage finds.
 *
 *     `output` [crops, classes] holds a probability each or, with `logits`, what softmax makes one of.
 */
export interface CropClassesTask {
  kind: "crop-classes";
  output: string;
  classes: string[];
  logits: boolean;
}
/**
 * A unit vector for each object that an earlier stage finds: objects alike have vectors with a large dot product.
 *
 *     `output` [crops, size] or [crops, size, 1, 1]. Each vector is divided by its length; one of zeros stays as it is.
 */
export interface CropEmbeddingsTask {
  kind: "crop-embeddings";
  output: string;
  size: number;
}
/**
 * How far away each pixel of the picture is.
 *
 *     `output` [1, height, width] or [1, 1, height, width] is a map over the whole input: distances or, as
 *     `inverse-depth`, what grows as things come nearer. In `metres` the numbers mean something, as `relative` only
 *     their order and, but for a scale and an offset, their ratios do. `confidence` is a map of the same kind, the
 *     larger the surer. `near` and `far` are the least and the largest value that the map can have, where that is known.
 *
 *     A map is read at the centre of each pixel of the source picture: bilinearly, with half-pixel centres, from the
 *     cells whose centre lies in the picture. Pixels whose centre lies outside of the input have NaN.
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
 * Objects and their boxes.
 *
 *     Rows of `output` [1, rows, 6]: x1 y1 x2 y2 in input pixels, score, class index. A row whose score is 0 is
 *     padding; rows are in order of falling score.
 */
export interface DetectTask {
  kind: "detect";
  output: string;
  rows: number;
  classes: string[];
}
/**
 * A unit vector of `size` numbers for the whole picture: pictures alike have vectors with a large dot product.
 *
 *     `pooling` says how `output` becomes it: `none`, [1, size] or [1, size, 1, 1] is the vector; `cls`, the first of
 *     [1, tokens, size]; `mean`, the mean of all of these. The vector is then divided by its length; one of zeros stays as
 *     it is.
 *
 *     The text encoder of a bundle has this task too: `text_input` says how texts go in, instead of a picture.
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
 * How a text becomes the inputs of a text encoder, and the cosine with a picture a score.
 *
 *     The tokenizer in the file `tokenizer` makes at most `length` numbers of a text, its first and its last token among
 *     them; `padding` fills the rest. `texts` are examples. A score is `logit_scale` * cosine, of which a softmax over
 *     the labels makes probabilities; with a `logit_bias` a sigmoid of the sum. Without `logit_scale` nobody knows it.
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
 * Objects that a prompt names, and their boxes.
 *
 *     `output` [1, queries, width] holds a logit for each query and each token of the prompt, minus infinity where there
 *     is no token; `boxes` [1, queries, 4] the centre x y, width and height in parts of the input. A query's score is
 *     the sigmoid of its best logit, and it found something where that is above `confidence`. What it found is the text
 *     of the tokens whose sigmoid is above `text_threshold`, but for the first column and the last, without its full
 *     stops; it belongs to that phrase of the prompt which its best token is in.
 *
 *     A prompt becomes at most `max_tokens` tokens by the tokenizer in the file `tokenizer`: in lower case, with a full
 *     stop after it. `special_tokens` are the numbers of [CLS], [SEP], the full stop and the question mark, which
 *     separate phrases, and of [PAD]. `prompts` are examples; the first is what the model is warmed up with.
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
 * Image to image: the result is a picture, larger, cleaner, brighter, in colours or in another style.
 *
 *     `output` [1, 3, scale * height, scale * width], as `nhwc` [1, scale * height, scale * width, 3], is a picture over
 *     the whole input at `scale` times its size: black is `low`, white is `high`, channels in the order of `order`.
 *
 *     The result is the source picture at `scale` times its size, read as a `DepthTask`'s map is, channel by channel.
 *     level = floor(255 * min(max((value - low) / (high - low), 0), 1) + 0.5). Pixels outside the input are transparent.
 *
 *     With `luma` the output has one channel, [1, 1, scale * height, scale * width]: Y of YCbCr (ITU-R BT.601). `low` and
 *     `high` are 16 / 255 and 235 / 255 where Y has the studio range. Cb and Cr are those of the source picture on white,
 *     resized with bicubic interpolation (see `Letterbox`):
 *
 *         Y = 255 * min(max((value - low) / (high - low), 0), 1)
 *         Cb = (B - Y') / 1.772,  Cr = (R - Y') / 1.402,  Y' = 0.299 R + 0.587 G + 0.114 B,  each held to -128..127
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
 * How a picture whose size is not the input's is cut into tiles, without resizing.
 *
 *     Along an axis on which the picture has `length` pixels and the input `size`, tile k is cut out at offset(k):
 *
 *         offset(k) = multiple floor(k D / (n - 1)),  D = max(0, ceil((length - size) / multiple))
 *         n - 1 = ceil(D / floor((size - 2 halo) / multiple))
 *
 *     It is kept from cut(k - 1) to cut(k) = floor((offset(k) + size + offset(k + 1)) / 2), the first from 0, the last to
 *     the end of the picture. Beyond its edges the picture's last pixel is repeated.
 *
 *     `halo`: the pixels at each side of a tile that are not kept, since they depend on what lies outside of it. `exact`:
 *     the result is that of the whole picture. Otherwise each tile is kept for `feather` pixels beyond its cuts, `halo` at
 *     most, and blended with its neighbours there; `seam` is the largest difference that was measured there: black is 0,
 *     white is 1. Along an axis tile k of n has the weight u_k - u_(k + 1), in the result the product of both axes', where
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
 * Which part of the picture each pixel belongs to: things one by one, and what surrounds them.
 *
 *     `masks` [1, queries, height, width] holds logits, for each query a map over the whole input; `scores` [1, queries,
 *     classes + 1] the logits of the classes of what a query found, the last that of nothing. Where `mask_size` is [rows,
 *     columns] and not empty, the maps are resized to that first. Without `scores`, `masks` has a map of logits for each
 *     class, and the only mode is semantic.
 *
 *     A map is read over the source picture as a `DepthTask`'s is, a pixel that the model did not see belonging to
 *     nothing. By `mode`, as transformers' image processors do:
 *
 *     panoptic: a query's class is its most probable one. Kept are those above `threshold` that are not nothing. Every
 *     pixel goes to the query whose probability there (the sigmoid of its map) times its score is largest. A query is left
 *     out, its pixels too, unless they are more than `overlap_mask_area_threshold` of those where that product is at least
 *     `mask_threshold`. Those of one of the classes `label_ids_to_fuse` are one region, whose score is the best.
 *
 *     instance: of all queries and classes the best pairs, as many as there are queries. Their mask is where the map is
 *     above 0, its score the class's times the mean probability there; those of at least `threshold` are kept. The map is
 *     read at the nearest cell that does not lie after a pixel's upper left corner. The best one is on top.
 *
 *     semantic: every pixel goes to the class for which the sum over queries of the class's probability times the map's
 *     is largest, or without `scores` the logit.
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
 * Keypoints of what a crop shows, such as a person or a face.
 *
 *     The result is that of a `PoseTask`: the boxes, scores and classes are those that the crops were cut around. In a
 *     bundle of one stage it is one box, of the whole picture, whose class is `classes[0]` and whose score is 1.
 */
export interface KeypointsTask {
  kind: "keypoints";
  head: SimccHead | HeatmapHead | RegressionHead;
  classes: string[];
  keypoints: Keypoint[];
  skeleton: [number, number][];
}
/**
 * Keypoints as two vectors of scores for each, along the input's width and its height (SimCC).
 *
 *     In `x` [crops, keypoints, width * split_ratio] and `y` [crops, keypoints, height * split_ratio] a keypoint is at the
 *     largest score, (index of x, index of y) / split_ratio in pixels of the input. Its confidence is the mean of the two
 *     scores. Where that is not above 0, both indices are -1.
 */
export interface SimccHead {
  kind: "simcc";
  x: string;
  y: string;
  splitRatio: number;
}
/**
 * Keypoints as a heat map of the input for each: `output` [crops, keypoints, rows, columns].
 *
 *     A keypoint is at the cell with the largest value, which is its confidence. Where that is not above 0, the cell is
 *     (-1, -1), else it is refined:
 *
 *     shift: a quarter of a cell towards the larger of the two neighbours along each axis. Along x only for
 *     1 < x < columns - 1 and y > 0, along y only for 1 < y < rows - 1 and x > 0.
 *
 *     dark, udp: a Newton step to the top of a parabola through the logarithms of the map, blurred with a Gaussian of
 *     `sigma`, cut off beyond `radius` cells. Beyond the map lie, by `border`, its own cells mirrored with their edge
 *     (`symmetric`: b a | a b) or without (`reflect`: c b | a b), or zeros. For `dark` blurred values are at least 1e-10,
 *     second derivatives two cells wide, and cells within two of an edge stay as they are. For `udp` values are held to
 *     0.001..50, and derivatives are one cell wide.
 *
 *     The cell (x, y) is at (x * width / columns, y * height / rows) of the input, where `unbiased` at (x * (width - 1) /
 *     (columns - 1), y * (height - 1) / (rows - 1)).
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
 * Keypoints as numbers: `output` [crops, keypoints * columns] or [crops, keypoints, columns], or of ones between.
 *
 *     `columns` are x and y, and then a depth z or a confidence c. In the range `unit` 0 and 1 are the edges of the input,
 *     with `signed` -1 and 1 are; `pixels` are those of the input. Without c a confidence is 1.
 */
export interface RegressionHead {
  kind: "regression";
  output: string;
  columns: "xy" | "xyc" | "xyz";
  range: "pixels" | "signed" | "unit";
}
/**
 * A keypoint's name and, for a limb drawn by side, its side.
 */
export interface Keypoint {
  name: string;
  side: "left" | "middle" | "right";
}
/**
 * The object that clicks, a box or an earlier answer point at, and its mask.
 *
 *     Prompts and masks lie in the frame: `frame` [height, width] pixels, in whose upper left corner the encoder's input
 *     is, with the picture where its `Letterbox` places it. A click at x y of the picture is in the frame at
 *     left + x * width / source width, top + y * height / source height; in `unit` coordinates that is divided by the
 *     frame's width and height. Where the decoder's pixels are others than the encoder's, the graph takes points and boxes
 *     times `point_scale`. See `PointPromptInput` for labels.
 *
 *     A `box` goes in as two points at its `corners`, upper left first, after the others, as an `input` of its own, or not
 *     at all (`none`). With `padding_point` a prompt without a box gets a point 0 0 of the label -1 at its end; without,
 *     the graph adds what it was trained with.
 *
 *     `masks` [1, masks, h, w] or [1, objects, masks, h, w] holds logits over the whole frame, `scores` [1, masks] or
 *     [1, objects, masks] the IoU that the model predicts of each; a graph that takes the prompts of several objects in a
 *     run has [objects, masks, ...] in place of the first. The mask `single` answers prompts that leave nothing
 *     open; the masks `multi` are the parts and wholes that an ambiguous one may mean, the best the one of the highest
 *     score. Who asks for all of them gets `multi`; else the best of them answers one click alone, and `single` any other
 *     prompt. Where `single` is None, the best of `multi` answers every prompt; where `multi` is empty, `single` does.
 *
 *     A pixel of the picture is in a mask where its logit is above `threshold`. With `through_input` logits are resized to
 *     the frame, cut to the picture's place in it and resized to the picture; without, they are read as a `DepthTask`'s
 *     map is. Either way bilinearly, with half-pixel centres and clamped edges.
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
 * How opaque the foreground is at each pixel of the picture.
 *
 *     `output` is a map over the whole input: [1, height, width], [1, channels, height, width], or as `nhwc` [1, height,
 *     width, channels], of which `channel` counts. Its values go through `activation`, a sigmoid or a softmax over the
 *     channels. Then `low` is transparent and `high` opaque; with `min_max` the least and the largest finite value are,
 *     where they differ. alpha = min(max((value - low) / (high - low), 0), 1).
 *
 *     Alpha is read over the source picture as a `DepthTask`'s map is, and is 0 outside the input and where the
 *     output is NaN. level = floor(255 * alpha + 0.5).
 *
 *     `foreground` [1, 3, height, width], as `nhwc` [1, height, width, 3], holds the colours, 0..1, of the foreground, if
 *     the model returns them: pixels that are neither transparent nor opaque take theirs from it.
 *
 *     With `tiles`, which are exact, pictures are run in tiles; without, they are resized. Tiles that are not exact are
 *     never blended: what is in front is seen in the whole picture, and two tiles that took different things for it would
 *     leave half-transparent ones.
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
 * Objects and their rotated boxes.
 *
 *     Rows of `output` [1, rows, 7]: centre x, centre y, width, height in input pixels, score, class index, and the
 *     angle in radians from the x axis to the width's side, towards y (clockwise on a screen). A row whose score is
 *     0 is padding; rows are in order of falling score.
 */
export interface ObbTask {
  kind: "obb";
  output: string;
  rows: number;
  classes: string[];
}
/**
 * People and their keypoints.
 *
 *     Rows of `output` [1, rows, 6 + keypoints * keypoint_size]: x1 y1 x2 y2 in input pixels, score, class index,
 *     then per keypoint x y in input pixels and, if keypoint_size is 3, its confidence. A row whose score is 0 is
 *     padding; rows are in order of falling score.
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
 * Objects, their boxes and their masks.
 *
 *     Rows of `output` [1, rows, 6 + mask_coefficients]: x1 y1 x2 y2 in input pixels, score, class index, then the
 *     object's coefficients of the prototypes in `protos` [1, mask_coefficients, height, width], which cover the whole
 *     input. A row whose score is 0 is padding; rows are in order of falling score.
 *
 *     An object's mask is, at each input pixel whose centre lies in its box (on its left and upper edges too) and in
 *     the picture, whether the prototypes' weighted sum is above 0: summed in their own grid, then sampled bilinearly,
 *     with half-pixel centres and clamped edges.
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
 * A model about which nothing is known: tensors in, tensors out.
 *
 *     `joined` are the tensors that the graph joins to an output as its last step, where one of them has the three
 *     channels of a picture; the one that takes most steps to compute is the first.
 */
export interface TensorTask {
  kind: "tensor";
  joined: JoinedTensor[];
}
/**
 * Channels of a float32 output, from `first` up to `end` along `axis`, that the graph computes by themselves.
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
 *     The output is [crops, T, C], or [T, 1, C] of one crop. Lines in which nothing is read are left out.
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
 * Where text is: differentiable binarization (DB, arXiv 1911.08947), decoded as PaddleOCR's DBPostProcess does.
 *
 *     `output` [1, 1, height, width] says of each cell of the input how probable text is there: as it is, or after the
 *     `activation`. Cells above `threshold` are set. Around each outline of what is set, holes too, lies the rectangle of
 *     the smallest area; `max_outlines` outlines are looked at. Its corners are rounded towards 0. Its score is the mean
 *     of the cells inside, and it counts from `confidence` on. It grows on every side by its area times `unclip_ratio`,
 *     divided by the length of its outline. Before, its shorter side is at least 3 cells, after that 5.
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
 *     `gray` is one channel, 0.299 R + 0.587 G + 0.114 B, not rounded. The fourth channel of `rgba` has the value 255 at
 *     every pixel, in the padding too: pictures are put on white first. As `uint8` a pixel is rounded, ties to even, and
 *     held to 0..255. With `mask` the fourth channel is no alpha but the mask of what is filled in. The layout `hwc` is
 *     [height, width, channels], without a batch axis.
 */
export interface ImageInput {
  kind: "image";
  name: string;
  dtype: "float32" | "uint8";
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
 * How a picture of any size becomes the input's fixed size.
 *
 *     `letterbox`: the picture keeps its aspect ratio: gain = min(height / h, width / w), resized to round(w * gain)
 *     by round(h * gain) (ties to even, or up with the rounding `half-up`; at least 1). With the anchor `center` it is
 *     placed with round((width - w') / 2 - 0.1) columns of `pad` before it and round((height - h') / 2 - 0.1) rows above
 *     it, with `top-left` with none; the rest of `pad` lies right and below.
 *
 *     `crop`: the picture keeps its aspect ratio and covers the input: the side that fills it takes the input's
 *     size, the other is cut to a whole number, floor(width * h / w) or floor(height * w / h). Then
 *     round((w' - width) / 2) columns and round((height' - height) / 2) rows (ties to even) are cut off before it,
 *     none with `top-left`, and what is too much right and below. On a square input this is torchvision's Resize to
 *     the shorter side and CenterCrop; with `edge`, Resize(edge) and a CenterCrop that is smaller: the picture then covers
 *     a square of `edge` pixels.
 *
 *     `line`: the picture takes the input's height and keeps its aspect ratio: min(width, ceil(w * height / h)) columns
 *     from the left; the rest is `pad`. A line of text that is too long is squeezed.
 *
 *     `stretch` ignores the aspect ratio and pads nothing. `pad` is a level of all colours, or one of red, green and
 *     blue each, or `mean`: the input's mean, which is 0 in the tensor.
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
 * The mask in the fourth channel of a picture's input: `hole` in the hole, `known` elsewhere; see `MaskInput`.
 *
 *     With `empties_picture` the other three channels are 0 in the hole.
 */
export interface MaskChannel {
  hole: number;
  known: number;
  emptiesPicture: boolean;
}
/**
 * The part of a picture around a box, by an affine transform; its pixels become what those of an `ImageInput` do.
 *
 *     The boxes are those of an earlier stage that have an area, a score of at least `min_score`, and one of `classes` or,
 *     where that is empty, any class: of them the first `max_crops`, which are the best. In a bundle of one stage it is
 *     the box of the whole picture. A box with the middle (cx, cy), multiplied by `padding` and then, to `keep` its aspect
 *     ratio, enlarged along one side to that of the input, is w by h. The point (x, y) of the picture goes to
 *
 *         ((x - cx) * width / w + width / 2, (y - cy) * height / h + height / 2)
 *
 *     of the input, or where `unbiased` (UDP) to
 *
 *         ((x - cx + w / 2) * (width - 1) / w, (y - cy + h / 2) * (height - 1) / h).
 *
 *     With a `template`, a place in the input for each keypoint of a box, the transform is instead the similarity
 *     (rotation, scale, translation) that brings the keypoints nearest to it by least squares, as Umeyama's does.
 *
 *     As a `line` it follows the rotated box: its `polygon`, four corners clockwise from where the text begins, else the
 *     upright box. A line 1.5 times as high as wide, or more, begins at its second corner: it is turned by 90 degrees. Of
 *     sides w and h, it takes the input's height and the first min(width, ceil(height * w / h)) columns. The rest is
 *     `pad`. The corners a, b, c, d go to (0, 0), (columns, 0), (columns, height), (0, height). `padding` is not read.
 *     With `half_turn` an earlier stage said of each line whether it stands on its head: its corners are c, d, a, b then.
 *     With `split` a line that is too wide is not squeezed: it takes all columns, and the first
 *     max(1, floor(width * h / w)) rows, or is read in parts.
 *
 *     Pixel i lies at the whole number i, as in OpenCV. Each pixel of the input is read bilinearly, in float64, not
 *     rounded; pixels beyond the picture are `pad`.
 */
export interface CropInput {
  kind: "crop";
  name: string;
  dtype: "float32" | "uint8";
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
 * Which lines are turned by 180 degrees: those of whose `classes` this `label` has a score above `score`.
 */
export interface HalfTurn {
  label: string;
  score: number;
}
/**
 * Which lines are read in parts, and in which: those more than `above` times as wide as high.
 *
 *     A part is `part` times as wide as the line is high, and shares `overlap` of its width with the one before it; the
 *     last one ends where the line does, and may share more.
 */
export interface LineSplit {
  above: number;
  part: number;
  overlap: number;
}
/**
 * A second picture, such as a style, a reference or the next frame; its pixels become what an `ImageInput`'s do.
 *
 *     The caller gives it to `run()` as `reference`. Its size may be another than the picture's.
 */
export interface ReferenceInput {
  kind: "reference";
  name: string;
  dtype: "float32" | "uint8";
  shape: number[];
  layout: "hwc" | "nchw" | "nhwc";
  color: "bgr" | "gray" | "rgb" | "rgba";
  scale: number;
  mean: number[];
  std: number[];
  letterbox: Letterbox;
}
/**
 * `count` pictures of one scene, all of one size, each of which becomes what an `ImageInput` would.
 *
 *     They lie one after another in `shape`, [1, count, 3, height, width] or [count, 3, height, width].
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
 * A number for each picture of the stack, such as the distance that it is focused at.
 *
 *     The caller gives them to `run()` as `focusDistances`; the runtime fills in `default`.
 */
export interface FocusInput {
  kind: "focus";
  name: string;
  dtype: "float32";
  shape: number[];
  default: number[];
}
/**
 * The width and height of a picture in pixels, two whole numbers in the order of `order`.
 *
 *     `size_of` says which: of the `picture` as it was given, upright, or of the `input` that it became. The runtime fills
 *     it in with the type that the graph wants; a run of plain tensors that leaves it out gets the size of the input.
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
 * A number the caller may give to `run()` under `option`; the runtime fills in `default`.
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
 * A part of what becomes of the prompt, the text that says what to look for; the runtime fills it in.
 *
 *     For n tokens, padded to `shape` with zeros, as `dtype`: with `input_ids` their numbers (padded with that of [PAD]),
 *     with `attention_mask` ones, with `token_type_ids` zeros, with `position_ids` the place of each in its phrase, and
 *     with `self_attention_mask`, [1, n, n], whether one token sees another: itself, and those of its own phrase. A phrase
 *     ends with its separator.
 */
export interface PromptInput {
  kind: "prompt";
  name: string;
  dtype: "bool" | "float32" | "int32" | "int64";
  shape: number[];
  role: "attention_mask" | "input_ids" | "position_ids" | "self_attention_mask" | "token_type_ids";
}
/**
 * A part of what becomes of clicks, a box and an earlier answer; the runtime fills it in.
 *
 *     `points`: x y each, [1, points, 2] or [1, objects, points, 2], in the coordinates of the `MaskGenerationTask`.
 *     `labels`, [1, points] or [1, objects, points]: 1 for a click on the object, 0 beside it, 2 and 3 for the upper left
 *     and lower right corner of a box, -1 for a point of padding that stands for no box. -10 is transformers' padding to a
 *     length: the point's embedding is 0, which is still attended to. Without this input all points are on the object.
 *     `box`, [1, objects, 4] or [1, 4]: x1 y1 x2 y2. `shape` is [1, 0, 4] in a graph for prompts without a box, which
 *     then has no such input.
 *     `mask`, [1, 1, h, w]: the logits of an earlier answer over the frame, 0 where there is none.
 *     `has-mask`: 1 where there is one, else 0.
 *
 *     A graph for a click on each of several objects in a run has [objects, points, 2], [objects, points] and so on where
 *     there is no axis of objects after the first.
 *
 *     The number of points is that of the graph, the point of padding of the task included: what a prompt is padded with
 *     changes the answer.
 */
export interface PointPromptInput {
  kind: "point-prompt";
  name: string;
  dtype: "float32" | "int32" | "int64";
  shape: number[];
  role: "box" | "has-mask" | "labels" | "mask" | "points";
}
/**
 * A number beside a picture, such as an exposure: `shape` has one element.
 *
 *     The caller may give it to `run()` as `numbers`, by name; the runtime fills in `default`.
 */
export interface NumberInput {
  kind: "number";
  name: string;
  dtype: "float32";
  shape: number[];
  default: number;
}
/**
 * Which pixels of the picture are a hole that the model fills in: `hole` there, else `known`.
 *
 *     The caller gives the hole to `run()` as `mask`, in the pixels of the picture. It is placed in the input as
 *     the picture is, see `ImageInput`: a pixel of the input is in the hole if it covers, even in part, a pixel of the
 *     picture that is. With `empties_picture` the picture's tensor is 0 in the hole, in all channels.
 */
export interface MaskInput {
  kind: "mask";
  name: string;
  dtype: "bool" | "float32" | "int32" | "int64" | "uint8";
  shape: number[];
  hole: number;
  known: number;
  emptiesPicture: boolean;
}
/**
 * The state of a recurrent model, such as a hidden state: an input that takes an output of the previous run.
 *
 *     The first run of a sequence takes zeros. Each later run takes the value of the graph's output `output` in the
 *     previous run, which has the same type and shape. That output is not part of the result, unless the model has no
 *     other: then it is listed in `outputs` too.
 */
export interface StateInput {
  kind: "state";
  name: string;
  dtype: "bool" | "float32" | "int32" | "int64" | "uint8";
  shape: number[];
  output: string;
}
/**
 * A tensor that an earlier stage makes, such as the embedding of a picture: the output `output` of `stage`.
 *
 *     That output has the same type and shape. The runtime fills it in.
 */
export interface StageInput {
  kind: "stage";
  name: string;
  dtype: "bool" | "float32" | "int32" | "int64" | "uint8";
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
  dtype: "bool" | "float32" | "int32" | "int64" | "uint8";
  shape: number[];
}
/**
 * A tensor that a run returns.
 */
export interface Output {
  name: string;
  dtype: "bool" | "float32" | "int32" | "int64" | "uint8";
  shape: number[];
}
/**
 * One ONNX graph of the bundle, for one target. Graphs of one precision share their weight files.
 *
 *     Of several for `webgpu` the best comes first: a visitor gets the first whose `features` the adapter has and whose
 *     answers are right there. `cpuNodes` are the names of nodes that a GPU provider is to leave to the CPU, since its
 *     kernels get them wrong. `allOnGpu` says that the engine leaves it none either. `features` are what the adapter must
 *     have: without them the graph throws, and another is to be taken. `precision` is fp32 where the model computes as it
 *     was exported, fp16 where what may be is in half precision, mixed where some of that had to stay as it was.
 *     `weight_dtype` is int8 where the weights were rounded to whole numbers with scales, to be downloaded so; what they
 *     become is what the graph computes with. `macs` are the multiply-accumulates of a run, where shapes tell. With
 *     `optimized` the engine's own optimizer would win nothing, and is left out when the graph is loaded. With
 *     `suppression` the file ends before that; `outputs` are those after it.
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
 * Where a graph reports on its fixed-shape detection head.
 *
 *     The float32 output `output` of shape [2] holds (converged as 0 or 1, number of candidates above the
 *     confidence threshold before suppression). Not converged, or more candidates than `capacity`: the run is
 *     repeated on the graph of target `fallback`.
 */
export interface HeadStatus {
  output: string;
  capacity: number;
  rounds: number;
  fallback: "wasm" | "webgpu";
}
/**
 * Exact greedy NMS behind a graph: the runtime's compute shader, or the CPU where that is not the same.
 *
 *     In place of `outputs` the file has three of float32, for all A anchors:
 *
 *     - `boxes` [A, 4]: two corners, with those of different classes moved apart;
 *     - `scores` [A], or with `multi_label` those of each label in turn, [count * A];
 *     - `rows` [A, columns]: what the outputs have of each, their columns side by side.
 *
 *     Candidates are the anchors whose score is above the input `confidence`, by falling score, of equal ones the first
 *     first. Each is kept that no kept one before it overlaps by more than the input `iou`, `max_detections` at most.
 *     Each of `outputs`, [..., rows, columns] or [rows], is their rows, then zeros; `row_count` is how many are kept.
 *     Without `confidence` every finite score is a candidate, without `iou` every overlap is too much.
 *
 *     Where they are `rotated`, `boxes` [A, 5] are centre x y, width, height and angle, and the overlap is that of two
 *     normal distributions (Ultralytics' probabilistic IoU). Each is kept that no one before it overlaps, a suppressed one
 *     neither. With `max_candidates` only the first so many are candidates.
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
 * Several labels for a box: every label has a score of each box, and its boxes are suppressed by themselves.
 *
 *     `max_detections` are kept of each label at most. In the `order` of `score` the best of all labels come first, of
 *     equal ones the first label and then the first box; in that of `label` all of the first label do, the best first.
 *     Of a box that is kept for a label, `score_column` of its row is that score, and `label_column` that label.
 */
export interface MultiLabel {
  count: number;
  maxDetections: number;
  order: "label" | "score";
  scoreColumn?: number;
  labelColumn?: number;
}
/**
 * A target that would throw, answer wrongly or make no session, so that the model runs on WASM instead.
 *
 *     The bundle holds no such graph. `code` is the finding's, which `webbuild explain` knows.
 */
export interface DisabledTarget {
  target: "webgpu";
  code: string;
  reason: string;
}
/**
 * One build of the engine: its JavaScript entry, its glue, its (compressed) WebAssembly.
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
 *     `size` and `sha256` are those of the file as it is stored; a file that is compressed, as its `encoding` says, holds
 *     `uncompressed_size` bytes of the hash `uncompressed_sha256`, which is what comes from a host that decompresses it. A
 *     file with `parts` is not stored itself: it is what its parts hold, files of this list too, one after the other;
 *     `size` and `sha256` are then those of the parts as they are stored. What the parts of a file of `quantization` int8
 *     hold are whole numbers with scales, from which its `uncompressed_size` bytes are made
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
 * A run with known answers, kept as raw little-endian tensors.
 *
 *     Of the inputs in `uint8_inputs`, which are pictures, a byte for each element is kept: the level of its colour, 0 to
 *     255, still to be scaled and normalized as the input says, in float64. `sequence` is of a model with states.
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
}
/**
 * What a model with states answers to the inputs of its golden run, run `steps` times.
 *
 *     Each run takes the states of the one before. Of the last one `outputs` has some, by which every state that is not
 *     carried is seen; those that are states are among them.
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
 * A picture to try the model on, or a stack of them: `file` is then its first picture, `stack` has them all.
 *
 *     `focus_distances` are the numbers that go with the stack's pictures; `prompt` is what to look for in the picture.
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
 * The model for another size of picture, or for several pictures in one run: what differs from the manifest's own.
 *
 *     Its graphs share the weights of the manifest's. For a batch of n every input picture and every output has n in place
 *     of 1 as its first size; an option is the same for all of them.
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
 * A model of a bundle that runs after another, such as a decoder after its encoder: what is its own.
 *
 *     Inputs of the kind `stage` take outputs of earlier stages. The golden run has a tensor for those too, so that each
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
 * A JavaScript module that makes inputs of a stage from outputs of earlier ones, in the worker.
 *
 *     Its default export gets the tensors that it `reads`, and returns those of inputs of the kind `tensor`.
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
