"""Recognize mask decoders of Segment Anything by the names and shapes of their inputs and outputs.

Input names contain point or coord, label, box, or mask. The known exporters:

- SAM's own, samexporter, MobileSAM: `image_embeddings`, `point_coords`, `point_labels`, `mask_input`, `has_mask_input`,
  `orig_im_size` -> `masks`, `iou_predictions`, `low_res_masks`. EdgeSAM: the first three inputs -> `scores`, `masks`.
- EfficientSAM: `image_embeddings`, `batched_point_coords`, `batched_point_labels`, `orig_im_size` -> `output_masks`,
  `iou_predictions`.
- samexporter, SAM 2: `image_embed`, `high_res_feats_0`, `high_res_feats_1` and SAM's prompt -> `masks`,
  `iou_predictions`. ONNX Runtime's SAM 2: `image_features_0`, `input_masks`, `original_image_size`.
- transformers, SAM: `image_embeddings`, `image_positional_embeddings`, `input_points`, `input_labels`, optional
  `input_boxes` -> `iou_scores`, `pred_masks`. SAM 2, SAM 3's tracker and EdgeTAM: `image_embeddings.0` to `.2`,
  `input_points`, `input_labels`, `input_boxes` -> `iou_scores`, `pred_masks`, `object_score_logits`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.inputs.point_prompt import PointPromptRole
from webbuild.manifest.manifest import Input, MaskGenerationTask, PointPromptInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.recognition.tensor_inputs import tensor_input_spec
from webbuild.tasks.task_match import TaskMatch

_SCORES = ("iou_predictions", "iou_scores", "iou_pred", "scores")
_MASKS = ("low_res_masks", "pred_masks", "masks", "output_masks")
"""Names of the masks output, best first: next to `low_res_masks`, `masks` are resized to the picture."""
_HUB_SAM2 = "image_embeddings.0"
_BOXES = ((1, 0, 4), (1, 1, 4))
"""Shapes of an input for boxes: a prompt has no box, or one."""
SAM3_PATCH = 14
_PATCHES = {72: SAM3_PATCH}
_LOW_RES = "low_res_masks"
_EFFICIENT = "EfficientSAM"
_MASK_CELLS = 4
"""Logits per cell of the embedding, along a side."""
_PATCH = 16
"""Pixels of the frame per cell of the embedding, along a side; 14 in SAM 3, which has 72 cells."""


class _Family(Struct, frozen=True):
    """The conventions of a decoder's exporter; see `MaskGenerationTask` for the fields."""

    name: str
    box: Literal["corners", "input", "none"]
    padding_point: bool
    through_input: bool


def infer_sam_decoder(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of a mask decoder, None for other models."""
    outputs = {spec.name: spec for spec in signature.outputs}
    masks, scores = _outputs(outputs)
    embedding = _embedding(signature.inputs)
    if masks is None or scores is None or embedding is None or not _clicks(signature):
        return None
    if any(not isinstance(size, int) for spec in (*signature.inputs, masks, scores) for size in spec.shape):
        return None
    if (boxes := _of_role(signature.inputs, "box")) is not None and boxes.shape not in _BOXES:
        return None
    kinds = int(masks.shape[-3] or 0)
    if len(masks.shape) not in (4, 5) or scores.shape != masks.shape[:-2]:
        return None
    family = _family(signature.inputs)
    frame = frame_side(signature) or 0
    task = MaskGenerationTask(
        masks=masks.name,
        scores=scores.name,
        single=0 if kinds in (1, 4) else None,
        multi=list(range(int(kinds == 4), kinds)) if kinds > 1 else [],
        frame=[frame, frame],
        box=family.box,
        padding_point=family.padding_point,
        through_input=family.through_input,
    )
    counts = f"{kinds} mask{'s' * (kinds > 1)} {list(masks.shape[-2:])} for a prompt"
    assumptions = (
        f"task mask-generation: a decoder of {family.name}, {counts}, read from '{masks.name}' and '{scores.name}'",
        frame_text(frame),
    )
    return TaskMatch(task, tuple(_input(spec) for spec in signature.inputs), assumptions)


def frame_text(side: int) -> str:
    """Return the assumption about the coordinates of points."""
    return f"points are in pixels of the encoder's input, {side} x {side}"


def decoder_outputs(signature: ModelSignature) -> tuple[str, str] | None:
    """Return the names of a mask decoder's logits and scores, regardless of its sizes; None for other models."""
    masks, scores = _outputs({spec.name: spec for spec in signature.outputs})
    if masks is None or scores is None or not _clicks(signature) or _embedding(signature.inputs) is None:
        return None
    return masks.name, scores.name


def frame_side(signature: ModelSignature) -> int | None:
    """Return the side of the encoder's input in pixels from a decoder's embedding; None if its size is free."""
    embedding = _embedding(signature.inputs)
    cells = None if embedding is None else embedding.shape[-1]
    return cells * _PATCHES.get(cells, _PATCH) if isinstance(cells, int) else None


def unused_inputs(signature: ModelSignature) -> dict[str, NDArray[Any]]:
    """Return constants for the inputs of a decoder that no prompt needs.

    - The picture's size only affects masks resized to it. It becomes 1 if there are `low_res_masks`, else `_mask_side`.
    - A free number of boxes becomes 0 for transformers' SAM 2, where boxes are passed as corner points. transformers'
      SAM has no labels for corners, so its box input stays.
    """
    unused: dict[str, NDArray[Any]] = {}
    is_hub_sam2 = any(spec.name == _HUB_SAM2 for spec in signature.inputs)
    side = 1 if _LOW_RES in {spec.name for spec in signature.outputs} else _mask_side(signature)
    for spec in signature.inputs:
        if side and _is_picture_size(spec):
            unused[spec.name] = np.full(2, side, spec.dtype)
        if is_hub_sam2 and spec.name == "input_boxes" and len(spec.shape) == 3 and not isinstance(spec.shape[1], int):
            unused[spec.name] = np.ones((1, 0, 4), np.float32)
    return unused


def _is_picture_size(spec: TensorSpec) -> bool:
    return spec.shape == (2,) and "size" in spec.name.lower()


def _mask_side(signature: ModelSignature) -> int | None:
    """Return the picture size at which resized masks lose no precision: the logits' side, or the frame's.

    SAM crops the masks in the frame first. EfficientSAM's points are in pixels of the picture, so the frame must be the
    picture.
    """
    frame = frame_side(signature)
    family = _family(signature.inputs)
    in_frame = family.through_input or family.name == _EFFICIENT
    embedding = _embedding(signature.inputs)
    cells = None if embedding is None else embedding.shape[-1]
    return frame if in_frame or not isinstance(cells, int) else _MASK_CELLS * cells


def prompt_sizes(signature: ModelSignature, points: int, objects: int = 1) -> dict[str, int]:
    """Return the free sizes of a mask decoder, by "input:axis", for these numbers of points and objects."""
    if decoder_outputs(signature) is None:
        return {}
    object_axes = _object_axes(signature)
    sizes: dict[str, int] = {}
    for spec in signature.inputs:
        role = _role(spec)
        for axis, size in enumerate(spec.shape):
            if isinstance(size, int):
                continue
            role_axis = (role, axis - len(spec.shape))
            point_count = points if role_axis in (("points", -2), ("labels", -1)) else 1
            sizes[f"{spec.name}:{axis}"] = objects if role_axis in object_axes else point_count
    return sizes


def free_counts(signature: ModelSignature, one: Mapping[str, int], other: Mapping[str, int]) -> set[str]:
    """Return the dimensions with different sizes in two graphs, by "input:axis" and by name."""
    keys = {key for key, size in one.items() if other[key] != size}
    named = {f"{spec.name}:{axis}": size for spec in signature.inputs for axis, size in enumerate(spec.shape)}
    return keys | {size for key in keys if isinstance(size := named[key], str)}


def _object_axes(signature: ModelSignature) -> Collection[tuple[str | None, int]]:
    """Return the axes of objects as (role of the input, axis counted from the end).

    - points [objects, n, 2], labels [objects, n], mask [objects, 1, h, w], has-mask [objects], box [1, objects, 4];
    - with a batch axis of pictures: points [1, objects, n, 2], labels [1, objects, n], one mask per picture.
    """
    points = next((spec for spec in signature.inputs if _role(spec) == "points"), None)
    clicks = (("points", -3), ("labels", -2), ("box", -2))
    return clicks if points is None or len(points.shape) > 3 else (*clicks, ("mask", -4), ("has-mask", -1))


def point_inputs(signature: ModelSignature) -> dict[str, tuple[int, ...]]:
    """Return the point and label inputs with their shapes for zero points, if a decoder can take a box alone.

    It can if it has a box input and a free number of points; {} for other decoders.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    if _family(signature.inputs).box != "input":
        return {}
    for spec in signature.inputs:
        axis = {"points": -2, "labels": -1}.get(_role(spec) or "")
        if axis is None:
            continue
        if isinstance(spec.shape[axis], int):
            return {}
        sizes = [1 if not isinstance(size, int) else size for size in spec.shape]
        sizes[axis] = 0
        shapes[spec.name] = tuple(sizes)
    return shapes


def fewest_points(signature: ModelSignature) -> int:
    """Return the number of points that a graph takes for one click: 2 if the caller adds a padding point, else 1."""
    return 1 + int(_family(signature.inputs).padding_point)


def resizes_through_input(signature: ModelSignature) -> bool:
    """Whether a decoder is SAM's, which keeps the aspect ratio of pictures; SAM 2 and EfficientSAM stretch them."""
    return _family(signature.inputs).through_input


def _outputs(outputs: Mapping[str, TensorSpec]) -> tuple[TensorSpec | None, TensorSpec | None]:
    """Return the logits and the scores of a decoder by their names, None for a missing one."""
    masks = next((outputs[name] for name in _MASKS if name in outputs), None)
    scores = next((outputs[name] for name in _SCORES if name in outputs), None)
    return masks, scores


def _embedding(inputs: Sequence[TensorSpec]) -> TensorSpec | None:
    """Return the coarsest embedding of the picture; masks are four times as large on each side."""
    known = [spec for spec in inputs if "embed" in spec.name and len(spec.shape) == 4]
    return min(known, key=lambda spec: size if isinstance(size := spec.shape[-1], int) else 0, default=None)


def _role(spec: TensorSpec) -> PointPromptRole | None:
    """Return the role of a decoder's input: points [..., n, 2], labels [..., n], box [..., 4], mask or has-mask."""
    name, rank = spec.name.lower(), len(spec.shape)
    if "label" in name:
        return "labels" if rank > 1 else None
    if "box" in name:
        return "box" if spec.shape[-1:] == (4,) else None
    if "mask" in name and "embed" not in name:
        return "mask" if rank > 2 else "has-mask"
    is_points = ("point" in name or "coord" in name) and rank > 2 and spec.shape[-1] == 2
    return "points" if is_points else None


def _of_role(inputs: Sequence[TensorSpec], role: PointPromptRole) -> TensorSpec | None:
    return next((spec for spec in inputs if _role(spec) == role), None)


def _clicks(signature: ModelSignature) -> bool:
    """Whether a decoder has an input for points, or for a box if points are constants."""
    return any(_role(spec) in ("points", "box") for spec in signature.inputs)


def _takes_levels(inputs: Sequence[TensorSpec]) -> bool:
    """Whether a decoder takes feature maps of several sizes, as SAM 2's does."""
    maps = [spec for spec in inputs if len(spec.shape) == 4 and _role(spec) is None]
    return len({spec.shape[-2:] for spec in maps}) > 1


def _family(inputs: Sequence[TensorSpec]) -> _Family:
    """Return the conventions of the exporter with these inputs.

    Graphs of transformers, EfficientSAM and SAM 2 add the padding point; for SAM's own the caller adds it. SAM's
    processors resize logits to the input first, the others do not.
    """
    points, boxes = _of_role(inputs, "points"), _of_role(inputs, "box")
    if points is not None and not points.name.startswith("input_"):
        if _takes_levels(inputs):
            return _Family("SAM 2", "corners", padding_point=False, through_input=False)
        if len(points.shape) == 4:
            return _Family(_EFFICIENT, "corners", padding_point=False, through_input=False)
        return _Family("SAM", "corners", padding_point=True, through_input=True)
    if any(spec.name == _HUB_SAM2 for spec in inputs):
        box: Literal["input", "corners"] = "corners" if boxes is None or 0 in boxes.shape else "input"
        return _Family("SAM 2 by transformers", box, padding_point=False, through_input=False)
    box_input: Literal["input", "none"] = "none" if boxes is None else "input"
    return _Family("SAM by transformers", box_input, padding_point=False, through_input=True)


def _input(spec: TensorSpec) -> Input:
    role = _role(spec)
    if role is None:
        return tensor_input_spec(spec)
    shape = [size for size in spec.shape if isinstance(size, int)]
    dtype = cast("Literal['float32', 'int64', 'int32']", spec.dtype)
    return PointPromptInput(name=spec.name, dtype=dtype, shape=shape, role=role)
