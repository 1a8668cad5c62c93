"""The task of a model, as the manifest says it: which output holds what, and what to call it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class ManifestStruct(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of every struct in the manifest: immutable, camelCase in JSON, strict about unknown fields."""


class Task(ManifestStruct, tag_field="kind", kw_only=True, frozen=True):
    """The task of a model: which output holds what. Base of a struct for each task, whose `tag` is the task's kind."""


class Keypoint(ManifestStruct, kw_only=True, frozen=True):
    """A keypoint's name and, for a limb drawn by side, its side."""

    name: str
    side: Literal["left", "right", "middle"]


class DetectTask(Task, tag="detect", kw_only=True, frozen=True):
    """Objects and their boxes.

    Rows of `output` [1, rows, 6]: x1 y1 x2 y2 in input pixels, score, class index. A row whose score is 0 is
    padding; rows are in order of falling score.
    """

    output: str
    rows: int
    classes: list[str]


class PoseTask(Task, tag="pose", kw_only=True, frozen=True):
    """People and their keypoints.

    Rows of `output` [1, rows, 6 + keypoints * keypoint_size]: x1 y1 x2 y2 in input pixels, score, class index,
    then per keypoint x y in input pixels and, if keypoint_size is 3, its confidence. A row whose score is 0 is
    padding; rows are in order of falling score.
    """

    output: str
    rows: int
    classes: list[str]
    keypoints: list[Keypoint]
    keypoint_size: Literal[2, 3]
    skeleton: list[Annotated[list[int], Meta(min_length=2, max_length=2)]]


class SimccHead(ManifestStruct, tag="simcc", tag_field="kind", kw_only=True, frozen=True):
    """Keypoints as two vectors of scores for each, along the input's width and its height (SimCC).

    In `x` [crops, keypoints, width * split_ratio] and `y` [crops, keypoints, height * split_ratio] a keypoint is at the
    largest score, (index of x, index of y) / split_ratio in pixels of the input. Its confidence is the mean of the two
    scores. Where that is not above 0, both indices are -1.
    """

    x: str
    y: str
    split_ratio: float = 2.0


class HeatmapHead(ManifestStruct, tag="heatmap", tag_field="kind", kw_only=True, frozen=True):
    """Keypoints as a heat map of the input for each: `output` [crops, keypoints, rows, columns].

    A keypoint is at the cell with the largest value, which is its confidence. Where that is not above 0, the cell is
    (-1, -1), else it is refined:

    shift: a quarter of a cell towards the larger of the two neighbours along each axis. Along x only for
    1 < x < columns - 1 and y > 0, along y only for 1 < y < rows - 1 and x > 0.

    dark, udp: a Newton step to the top of a parabola through the logarithms of the map, blurred with a Gaussian of
    `sigma`, cut off beyond `radius` cells. Beyond the map lie, by `border`, its own cells mirrored with their edge
    (`symmetric`: b a | a b) or without (`reflect`: c b | a b), or zeros. For `dark` blurred values are at least 1e-10,
    second derivatives two cells wide, and cells within two of an edge stay as they are. For `udp` values are held to
    0.001..50, and derivatives are one cell wide.

    The cell (x, y) is at (x * width / columns, y * height / rows) of the input, where `unbiased` at (x * (width - 1) /
    (columns - 1), y * (height - 1) / (rows - 1)).
    """

    output: str
    refine: Literal["none", "shift", "dark", "udp"] = "none"
    sigma: float = 0.8
    radius: int = 5
    border: Literal["symmetric", "reflect", "zero"] = "symmetric"
    unbiased: bool = False


class RegressionHead(ManifestStruct, tag="regression", tag_field="kind", kw_only=True, frozen=True):
    """Keypoints as numbers: `output` [crops, keypoints * columns] or [crops, keypoints, columns], or of ones between.

    `columns` are x and y, and then a depth z or a confidence c. In the range `unit` 0 and 1 are the edges of the input,
    with `signed` -1 and 1 are; `pixels` are those of the input. Without c a confidence is 1.
    """

    output: str
    columns: Literal["xy", "xyz", "xyc"] = "xy"
    range: Literal["unit", "signed", "pixels"] = "unit"


class KeypointsTask(Task, tag="keypoints", kw_only=True, frozen=True):
    """Keypoints of what a crop shows, such as a person or a face.

    The result is that of a `PoseTask`: the boxes, scores and classes are those that the crops were cut around. In a
    bundle of one stage it is one box, of the whole picture, whose class is `classes[0]` and whose score is 1.
    """

    head: SimccHead | HeatmapHead | RegressionHead
    classes: list[str]
    keypoints: list[Keypoint]
    skeleton: list[Annotated[list[int], Meta(min_length=2, max_length=2)]]


class SegmentTask(Task, tag="segment", kw_only=True, frozen=True):
    """Objects, their boxes and their masks.

    Rows of `output` [1, rows, 6 + mask_coefficients]: x1 y1 x2 y2 in input pixels, score, class index, then the
    object's coefficients of the prototypes in `protos` [1, mask_coefficients, height, width], which cover the whole
    input. A row whose score is 0 is padding; rows are in order of falling score.

    An object's mask is, at each input pixel whose centre lies in its box (on its left and upper edges too) and in
    the picture, whether the prototypes' weighted sum is above 0: summed in their own grid, then sampled bilinearly,
    with half-pixel centres and clamped edges.
    """

    output: str
    protos: str
    rows: int
    classes: list[str]
    mask_coefficients: int


class ObbTask(Task, tag="obb", kw_only=True, frozen=True):
    """Objects and their rotated boxes.

    Rows of `output` [1, rows, 7]: centre x, centre y, width, height in input pixels, score, class index, and the
    angle in radians from the x axis to the width's side, towards y (clockwise on a screen). A row whose score is
    0 is padding; rows are in order of falling score.
    """

    output: str
    rows: int
    classes: list[str]


class ClassifyTask(Task, tag="classify", kw_only=True, frozen=True):
    """What the whole picture shows.

    `output` [1, classes] holds a probability each or, with `logits`, what softmax makes one of.
    """

    output: str
    classes: list[str]
    logits: bool


class DepthTask(Task, tag="depth", kw_only=True, frozen=True):
    """How far away each pixel of the picture is.

    `output` [1, height, width] or [1, 1, height, width] is a map over the whole input: distances or, as
    `inverse-depth`, what grows as things come nearer. In `metres` the numbers mean something, as `relative` only
    their order and, but for a scale and an offset, their ratios do. `confidence` is a map of the same kind, the
    larger the surer. `near` and `far` are the least and the largest value that the map can have, where that is known.

    A map is read at the centre of each pixel of the source picture: bilinearly, with half-pixel centres, from the
    cells whose centre lies in the picture. Pixels whose centre lies outside of the input have NaN.
    """

    output: str
    confidence: str | None = None
    quantity: Literal["depth", "inverse-depth"]
    unit: Literal["metres", "relative"]
    near: float | None = None
    far: float | None = None


class GroundingTask(Task, tag="grounding", kw_only=True, frozen=True):
    """Objects that a prompt names, and their boxes.

    `output` [1, queries, width] holds a logit for each query and each token of the prompt, minus infinity where there
    is no token; `boxes` [1, queries, 4] the centre x y, width and height in parts of the input. A query's score is
    the sigmoid of its best logit, and it found something where that is above `confidence`. What it found is the text
    of the tokens whose sigmoid is above `text_threshold`, but for the first column and the last, without its full
    stops; it belongs to that phrase of the prompt which its best token is in.

    A prompt becomes at most `max_tokens` tokens by the tokenizer in the file `tokenizer`: in lower case, with a full
    stop after it. `special_tokens` are the numbers of [CLS], [SEP], the full stop and the question mark, which
    separate phrases, and of [PAD]. `prompts` are examples; the first is what the model is warmed up with.
    """

    output: str
    boxes: str
    queries: int
    max_tokens: int
    tokenizer: str
    special_tokens: dict[str, int]
    confidence: float
    text_threshold: float
    prompts: list[str]


class ImageSegmentationTask(Task, tag="image-segmentation", kw_only=True, frozen=True):
    """Which part of the picture each pixel belongs to: things one by one, and what surrounds them.

    `masks` [1, queries, height, width] holds logits, for each query a map over the whole input; `scores` [1, queries,
    classes + 1] the logits of the classes of what a query found, the last that of nothing. Where `mask_size` is [rows,
    columns] and not empty, the maps are resized to that first. Without `scores`, `masks` has a map of logits for each
    class, and the only mode is semantic.

    A map is read over the source picture as a `DepthTask`'s is, a pixel that the model did not see belonging to
    nothing. By `mode`, as transformers' image processors do:

    panoptic: a query's class is its most probable one. Kept are those above `threshold` that are not nothing. Every
    pixel goes to the query whose probability there (the sigmoid of its map) times its score is largest. A query is left
    out, its pixels too, unless they are more than `overlap_mask_area_threshold` of those where that product is at least
    `mask_threshold`. Those of one of the classes `label_ids_to_fuse` are one region, whose score is the best.

    instance: of all queries and classes the best pairs, as many as there are queries. Their mask is where the map is
    above 0, its score the class's times the mean probability there; those of at least `threshold` are kept. The map is
    read at the nearest cell that does not lie after a pixel's upper left corner. The best one is on top.

    semantic: every pixel goes to the class for which the sum over queries of the class's probability times the map's
    is largest, or without `scores` the logit.
    """

    masks: str
    scores: str | None = None
    classes: list[str]
    mode: Literal["panoptic", "instance", "semantic"]
    label_ids_to_fuse: list[int] = []
    mask_size: list[int] = []
    threshold: float = 0.5
    mask_threshold: float = 0.5
    overlap_mask_area_threshold: float = 0.8


class MaskGenerationTask(Task, tag="mask-generation", kw_only=True, frozen=True):
    """The object that clicks, a box or an earlier answer point at, and its mask.

    Prompts and masks lie in the frame: `frame` [height, width] pixels, in whose upper left corner the encoder's input
    is, with the picture where its `Letterbox` places it. A click at x y of the picture is in the frame at
    left + x * width / source width, top + y * height / source height; in `unit` coordinates that is divided by the
    frame's width and height. See `PointPromptInput` for labels.

    A `box` goes in as two points at its `corners`, upper left first, after the others, as an `input` of its own, or not
    at all (`none`). With `padding_point` a prompt without a box gets a point 0 0 of the label -1 at its end; without,
    the graph adds what it was trained with.

    `masks` [1, masks, h, w] or [1, objects, masks, h, w] holds logits over the whole frame, `scores` [1, masks] or
    [1, objects, masks] the IoU that the model predicts of each. The mask `single` answers prompts that leave nothing
    open; the masks `multi` are the parts and wholes that an ambiguous one may mean, the best the one of the highest
    score. Who asks for all of them gets `multi`; else the best of them answers one click alone, and `single` any other
    prompt. Where `single` is None, the best of `multi` answers every prompt; where `multi` is empty, `single` does.

    A pixel of the picture is in a mask where its logit is above `threshold`. With `through_input` logits are resized to
    the frame, cut to the picture's place in it and resized to the picture; without, they are read as a `DepthTask`'s
    map is. Either way bilinearly, with half-pixel centres and clamped edges.
    """

    masks: str
    scores: str
    single: int | None
    multi: list[int]
    frame: Annotated[list[int], Meta(min_length=2, max_length=2)]
    coordinates: Literal["pixels", "unit"] = "pixels"
    box: Literal["corners", "input", "none"]
    padding_point: bool
    through_input: bool
    threshold: float = 0.0


class TilePlan(ManifestStruct, kw_only=True, frozen=True):
    """How a picture whose size is not the input's is cut into tiles, without resizing.

    Along an axis on which the picture has `length` pixels and the input `size`, tile k is cut out at offset(k):

        offset(k) = multiple floor(k D / (n - 1)),  D = max(0, ceil((length - size) / multiple))
        n - 1 = ceil(D / floor((size - 2 halo) / multiple))

    It is kept from cut(k - 1) to cut(k) = floor((offset(k) + size + offset(k + 1)) / 2), the first from 0, the last to
    the end of the picture. Beyond its edges the picture's last pixel is repeated.

    `halo`: the pixels at each side of a tile that are not kept, since they depend on what lies outside of it. `exact`:
    the result is that of the whole picture. Otherwise each tile is kept for `feather` pixels beyond its cuts, `halo` at
    most, and blended with its neighbours there; `seam` is the largest difference that was measured there: black is 0,
    white is 1. Along an axis tile k of n has the weight u_k - u_(k + 1), in the result the product of both axes', where

        u_k(x) = min(max((x - cut(k - 1) + feather) / (2 feather), 0), 1),  u_0 = 1, u_n = 0

    at the centre x of a pixel of the result, in pixels of the picture. The weights at a pixel add up to 1. Without
    `feather` u_k is 0 before its cut and 1 after it.
    """

    halo: Annotated[int, Meta(ge=0)]
    multiple: Annotated[int, Meta(ge=1)] = 1
    exact: bool
    feather: Annotated[int, Meta(ge=0)] = 0
    seam: float = 0.0


class ImageTask(Task, tag="image", kw_only=True, frozen=True):
    """Image to image: the result is a picture, larger, cleaner, brighter, in colours or in another style.

    `output` [1, 3, scale * height, scale * width], as `nhwc` [1, scale * height, scale * width, 3], is a picture over
    the whole input at `scale` times its size: black is `low`, white is `high`, channels in the order of `order`.

    The result is the source picture at `scale` times its size, read as a `DepthTask`'s map is, channel by channel.
    level = floor(255 * min(max((value - low) / (high - low), 0), 1) + 0.5). Pixels outside the input are transparent.

    With `luma` the output has one channel, [1, 1, scale * height, scale * width]: Y of YCbCr (ITU-R BT.601). `low` and
    `high` are 16 / 255 and 235 / 255 where Y has the studio range. Cb and Cr are those of the source picture on white,
    resized with bicubic interpolation (see `Letterbox`):

        Y = 255 * min(max((value - low) / (high - low), 0), 1)
        Cb = (B - Y') / 1.772,  Cr = (R - Y') / 1.402,  Y' = 0.299 R + 0.587 G + 0.114 B,  each held to -128..127
        red = Y + 1.402 Cr,  blue = Y + 1.772 Cb,  green = (Y - 0.299 red - 0.114 blue) / 0.587

    With `tiles`, pictures are run in tiles; without, they are resized.
    """

    output: str
    layout: Literal["nchw", "nhwc"] = "nchw"
    scale: Annotated[int, Meta(ge=1, le=8)] = 1
    low: float = 0.0
    high: float = 1.0
    order: Literal["rgb", "bgr"] = "rgb"
    luma: bool = False
    tiles: TilePlan | None = None


class MatteTask(Task, tag="matte", kw_only=True, frozen=True):
    """How opaque the foreground is at each pixel of the picture.

    `output` is a map over the whole input: [1, height, width], [1, channels, height, width], or as `nhwc` [1, height,
    width, channels], of which `channel` counts. Its values go through `activation`, a sigmoid or a softmax over the
    channels. Then `low` is transparent and `high` opaque; with `min_max` the least and the largest finite value are,
    where they differ. alpha = min(max((value - low) / (high - low), 0), 1).

    Alpha is read over the source picture as a `DepthTask`'s map is, and is 0 outside the input and where the
    output is NaN. level = floor(255 * alpha + 0.5).

    `foreground` [1, 3, height, width], as `nhwc` [1, height, width, 3], holds the colours, 0..1, of the foreground, if
    the model returns them: pixels that are neither transparent nor opaque take theirs from it.

    With `tiles`, which are exact, pictures are run in tiles; without, they are resized. Tiles that are not exact are
    never blended: what is in front is seen in the whole picture, and two tiles that took different things for it would
    leave half-transparent ones.
    """

    output: str
    layout: Literal["nchw", "nhwc"] = "nchw"
    channel: int = 0
    activation: Literal["none", "sigmoid", "softmax"] = "none"
    low: float = 0.0
    high: float = 1.0
    min_max: bool = False
    foreground: str | None = None
    tiles: TilePlan | None = None


class JoinedTensor(ManifestStruct, kw_only=True, frozen=True):
    """Channels of a float32 output, from `first` up to `end` along `axis`, that the graph computes by themselves."""

    output: str
    axis: Literal[1, 3]
    first: int
    end: int


class TensorTask(Task, tag="tensor", kw_only=True, frozen=True):
    """A model about which nothing is known: tensors in, tensors out.

    `joined` are the tensors that the graph joins to an output as its last step, where one of them has the three
    channels of a picture; the one that takes most steps to compute is the first.
    """

    joined: list[JoinedTensor] = []


RowTask = DetectTask | PoseTask | SegmentTask | ObbTask
"""Tasks whose output is rows of detections."""
