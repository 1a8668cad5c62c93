"""The inputs of a model, as the manifest says them: what each holds, and who fills it in."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct

DType = Literal["float32", "int32", "int64", "uint8", "bool"]
Interpolation = Literal["bilinear", "bilinear-antialias", "nearest", "bicubic"]
Color = Literal["rgb", "bgr", "gray", "rgba"]


class Letterbox(ManifestStruct, kw_only=True, frozen=True):
    """How a picture of any size becomes the input's fixed size.

    `letterbox`: the picture keeps its aspect ratio: gain = min(height / h, width / w), resized to round(w * gain)
    by round(h * gain) (ties to even, at least 1). With the anchor `center` it is placed with
    round((width - w') / 2 - 0.1) columns of `pad` before it and round((height - h') / 2 - 0.1) rows above it, with
    `top-left` with none; the rest of `pad` lies right and below.

    `crop`: the picture keeps its aspect ratio and covers the input: the side that fills it takes the input's
    size, the other is cut to a whole number, floor(width * h / w) or floor(height * w / h). Then
    round((w' - width) / 2) columns and round((height' - height) / 2) rows (ties to even) are cut off before it,
    none with `top-left`, and what is too much right and below. On a square input this is torchvision's Resize to
    the shorter side and CenterCrop.

    `stretch` ignores the aspect ratio and pads nothing. `pad` is a level of all colours, or `mean`: the input's mean,
    which is 0 in the tensor.

    The resamplers are defined in `webbuild/preprocess/resample.py`; all compute in float64.
    """

    mode: Literal["letterbox", "stretch", "crop"] = "letterbox"
    anchor: Literal["center", "top-left"] = "center"
    pad: int | Literal["mean"] = 114
    interpolation: Interpolation = "bilinear"


class PictureInput(ManifestStruct, tag_field="kind", kw_only=True, frozen=True):
    """Base of the inputs that a picture's pixels become; `ImageInput` says how."""

    name: str
    dtype: Literal["float32", "uint8"] = "float32"
    shape: list[int]
    layout: Literal["nchw", "nhwc"] = "nchw"
    color: Color = "rgb"
    scale: float
    mean: list[float]
    std: list[float]


class MaskChannel(ManifestStruct, kw_only=True, frozen=True):
    """The mask in the fourth channel of a picture's input: `hole` in the hole, `known` elsewhere; see `MaskInput`.

    With `empties_picture` the other three channels are 0 in the hole.
    """

    hole: float = 1.0
    known: float = 0.0
    empties_picture: bool = False


class ImageInput(PictureInput, tag="image", kw_only=True, frozen=True):
    """A picture. pixel = (value * scale - mean[c]) / std[c], channels in the order of `color`.

    `gray` is one channel, 0.299 R + 0.587 G + 0.114 B, not rounded. The fourth channel of `rgba` has the value 255 at
    every pixel, in the padding too: pictures are put on white first. As `uint8` a pixel is rounded, ties to even, and
    held to 0..255. With `mask` the fourth channel is no alpha but the mask of what is filled in.
    """

    letterbox: Letterbox
    mask: MaskChannel | UnsetType = UNSET


class ReferenceInput(PictureInput, tag="reference", kw_only=True, frozen=True):
    """A second picture, such as a style, a reference or the next frame; its pixels become what an `ImageInput`'s do.

    The caller gives it to `run()` as `reference`. Its size may be another than the picture's.
    """

    letterbox: Letterbox


class CropInput(PictureInput, tag="crop", kw_only=True, frozen=True):
    """The part of a picture around a box, by an affine transform; its pixels become what those of an `ImageInput` do.

    The boxes are those of the first stage whose class is one of `classes`, of any class where that is empty; in a
    bundle of one stage it is the box of the whole picture. A box with the middle (cx, cy), multiplied by `padding` and
    then enlarged along one side to the aspect ratio of the input, is w by h. The point (x, y) of the picture goes to

        ((x - cx) * width / w + width / 2, (y - cy) * height / h + height / 2)

    of the input, or where `unbiased` (UDP) to

        ((x - cx + w / 2) * (width - 1) / w, (y - cy + h / 2) * (height - 1) / h).

    With a `template`, a place in the input for each of the first stage's keypoints, the transform is instead the
    similarity (rotation, scale, translation) that brings the keypoints nearest to it by least squares.

    Pixel i lies at the whole number i, as in OpenCV. Each pixel of the input is read bilinearly, in float64, not
    rounded; pixels beyond the picture are `pad`.
    """

    padding: float = 1.25
    unbiased: bool = False
    pad: int = 0
    template: list[Annotated[list[float], Meta(min_length=2, max_length=2)]] = []
    classes: list[int] = []


class StackInput(ManifestStruct, tag="stack", tag_field="kind", kw_only=True, frozen=True):
    """`count` pictures of one scene, all of one size, each of which becomes what an `ImageInput` would.

    They lie one after another in `shape`, [1, count, 3, height, width] or [count, 3, height, width].
    """

    name: str
    dtype: Literal["float32"] = "float32"
    shape: list[int]
    count: int
    color: Literal["rgb", "bgr"] = "rgb"
    scale: float
    mean: list[float]
    std: list[float]
    letterbox: Letterbox


class FocusInput(ManifestStruct, tag="focus", tag_field="kind", kw_only=True, frozen=True):
    """A number for each picture of the stack, such as the distance that it is focused at.

    The caller gives them to `run()` as `focusDistances`; the runtime fills in `default`.
    """

    name: str
    dtype: Literal["float32"] = "float32"
    shape: list[int]
    default: list[float]


class SizeInput(ManifestStruct, tag="size", tag_field="kind", kw_only=True, frozen=True):
    """The width and height of a picture in pixels, two whole numbers in the order of `order`.

    `size_of` says which: of the `picture` as it was given, upright, or of the `input` that it became. The runtime fills
    it in with the type that the graph wants; a run of plain tensors that leaves it out gets the size of the input.
    """

    name: str
    dtype: Literal["int64", "int32", "float32"]
    shape: list[int]
    order: Literal["width-height", "height-width"] = "width-height"
    size_of: Literal["picture", "input"] = "picture"


class OptionInput(ManifestStruct, tag="option", tag_field="kind", kw_only=True, frozen=True):
    """A number the caller may give to `run()` under `option`; the runtime fills in `default`."""

    name: str
    dtype: Literal["float32"] = "float32"
    shape: list[int]
    option: Literal["confidence", "iou"]
    default: float
    minimum: float = 0.0
    maximum: float = 1.0


PromptRole = Literal["input_ids", "attention_mask", "token_type_ids", "position_ids", "self_attention_mask"]


class PromptInput(ManifestStruct, tag="prompt", tag_field="kind", kw_only=True, frozen=True):
    """A part of what becomes of the prompt, the text that says what to look for; the runtime fills it in.

    For n tokens, padded to `shape` with zeros, as `dtype`: with `input_ids` their numbers (padded with that of [PAD]),
    with `attention_mask` ones, with `token_type_ids` zeros, with `position_ids` the place of each in its phrase, and
    with `self_attention_mask`, [1, n, n], whether one token sees another: itself, and those of its own phrase. A phrase
    ends with its separator.
    """

    name: str
    dtype: Literal["int64", "int32", "float32", "bool"]
    shape: list[int]
    role: PromptRole


PointPromptRole = Literal["points", "labels", "box", "mask", "has-mask"]


class PointPromptInput(ManifestStruct, tag="point-prompt", tag_field="kind", kw_only=True, frozen=True):
    """A part of what becomes of clicks, a box and an earlier answer; the runtime fills it in.

    `points`: x y each, [1, points, 2] or [1, objects, points, 2], in the coordinates of the `MaskGenerationTask`.
    `labels`, [1, points] or [1, objects, points]: 1 for a click on the object, 0 beside it, 2 and 3 for the upper left
    and lower right corner of a box, -1 for a point of padding that stands for no box. -10 is transformers' padding to a
    length: the point's embedding is 0, which is still attended to. Without this input all points are on the object.
    `box`, [1, objects, 4] or [1, 4]: x1 y1 x2 y2. `shape` is [1, 0, 4] in a graph for prompts without a box, which
    then has no such input.
    `mask`, [1, 1, h, w]: the logits of an earlier answer over the frame, 0 where there is none.
    `has-mask`: 1 where there is one, else 0.

    The number of points is that of the graph, the point of padding of the task included: what a prompt is padded with
    changes the answer.
    """

    name: str
    dtype: Literal["float32", "int64", "int32"]
    shape: list[int]
    role: PointPromptRole


class NumberInput(ManifestStruct, tag="number", tag_field="kind", kw_only=True, frozen=True):
    """A number beside a picture, such as an exposure: `shape` has one element.

    The caller may give it to `run()` as `numbers`, by name; the runtime fills in `default`.
    """

    name: str
    dtype: Literal["float32"] = "float32"
    shape: list[int]
    default: float


class MaskInput(ManifestStruct, tag="mask", tag_field="kind", kw_only=True, frozen=True):
    """Which pixels of the picture are a hole that the model fills in: `hole` there, else `known`.

    The caller gives the hole to `run()` as `mask`, in the pixels of the picture. It is placed in the input as
    the picture is, see `ImageInput`: a pixel of the input is in the hole if it covers, even in part, a pixel of the
    picture that is. With `empties_picture` the picture's tensor is 0 in the hole, in all channels.
    """

    name: str
    dtype: Literal["float32", "uint8", "int32", "int64", "bool"] = "float32"
    shape: list[int]
    hole: float = 1.0
    known: float = 0.0
    empties_picture: bool = False


class StateInput(ManifestStruct, tag="state", tag_field="kind", kw_only=True, frozen=True):
    """The state of a recurrent model, such as a hidden state: an input that takes an output of the previous run.

    The first run of a sequence takes zeros. Each later run takes the value of the graph's output `output` in the
    previous run, which has the same type and shape. That output is not part of the result, unless the model has no
    other: then it is listed in `outputs` too.
    """

    name: str
    dtype: DType
    shape: list[int]
    output: str


class StageInput(ManifestStruct, tag="stage", tag_field="kind", kw_only=True, frozen=True):
    """A tensor that an earlier stage makes, such as the embedding of a picture: the output `output` of `stage`.

    That output has the same type and shape. The runtime fills it in.
    """

    name: str
    dtype: DType
    shape: list[int]
    stage: str
    output: str


class TensorInput(ManifestStruct, tag="tensor", tag_field="kind", kw_only=True, frozen=True):
    """A tensor that the caller must give."""

    name: str
    dtype: DType
    shape: list[int]


Input = (
    ImageInput
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
)
