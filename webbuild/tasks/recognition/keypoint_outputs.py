"""Find the outputs with the keypoints of a crop: SimCC vectors, heat maps, or coordinates."""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from webbuild.manifest.manifest import CropInput, HeatmapHead, RegressionHead, SimccHead
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.landmark_families import LandmarkFamily, landmark_family

Head = SimccHead | HeatmapHead | RegressionHead

_SPLIT_RATIOS = (2.0, 3.0, 1.0, 4.0)
"""Lengths of SimCC's vectors relative to the sides of the input, most common first."""
_POSE_FILE = re.compile(r"vit-?pose|hr-?net|simple-?baseline|pose-?resnet|td-?hm|top-?down", re.IGNORECASE)
_BODY_KEYPOINTS = (14, 16, 17, 26, 133)
"""Numbers of keypoints of people. An HRNet for segmentation has maps too, but one per class."""
_VITPOSE = re.compile(r"vit-?pose", re.IGNORECASE)
_POINTS = re.compile(r"land_?mark|key_?point|kpt", re.IGNORECASE)
_STRIDES = (4, 2, 8)
"""Possible widths of a heat-map cell in input pixels."""


class FoundHead(Struct, frozen=True):
    """A head, its number of keypoints, and the assumption about it. `sure`: names indicate it, not only shapes."""

    head: Head
    count: int
    assumption: str
    sure: bool
    family: LandmarkFamily | None = None


def find_head(signature: ModelSignature, crop: CropInput) -> FoundHead | None:
    """Return the keypoint head, preferably one that names indicate; None if there is none."""
    family = landmark_family(signature)
    candidates = (_find_simcc(signature, crop), _find_heatmap(signature, crop), _find_regression(signature, family))
    heads = [head for head in candidates if head is not None]
    return next((head for head in heads if head.sure), heads[0] if heads else None)


def _find_simcc(signature: ModelSignature, crop: CropInput) -> FoundHead | None:
    """Return the head with outputs [1, keypoints, width * ratio] and [1, keypoints, height * ratio], if any."""
    height, width = input_size(crop)
    shaped = [each for each in signature.outputs if len(each.shape) == 3 and each.dtype == "float32"]
    for ratio in _SPLIT_RATIOS:
        for x in shaped:
            for y in (each for each in shaped if each is not x):
                lengths = (x.shape[-1], y.shape[-1])
                if lengths == (width * ratio, height * ratio) and x.shape[:2] == y.shape[:2] and x.shape[0] == 1:
                    if width == height and "y" in x.name.lower() and "x" in y.name.lower().replace("max", ""):
                        continue
                    assumption = (
                        f"outputs '{x.name}' and '{y.name}' are SimCC vectors, {ratio:g} cells per pixel, as in RTMPose"
                    )
                    sure = "simcc" in f"{x.name} {y.name}".lower() or "rtmpose" in signature.file.lower()
                    return FoundHead(
                        SimccHead(x=x.name, y=y.name, split_ratio=ratio), int(x.shape[1] or 0), assumption, sure
                    )
    return None


def _find_heatmap(signature: ModelSignature, crop: CropInput) -> FoundHead | None:
    """Return the head with an output [1, keypoints, height / stride, width / stride], if any."""
    height, width = input_size(crop)
    sizes = [(height // stride, width // stride) for stride in _STRIDES]
    maps = [
        each
        for each in signature.outputs
        if len(each.shape) == 4 and each.shape[2:] in sizes and _has_several_keypoints(each)
    ]
    if len(maps) != 1:
        return None
    output = maps[0]
    kind = signature.hub_files.config.get("model_type")
    vitpose = kind == "vitpose" or _VITPOSE.search(signature.file) is not None or _is_vitpose(signature, output)
    counted = output.shape[1] in _BODY_KEYPOINTS and _POSE_FILE.search(signature.file) is not None
    named = "heatmap" in output.name.lower() or counted
    head = (
        HeatmapHead(output=output.name, refine="udp", unbiased=True)
        if vitpose
        else HeatmapHead(output=output.name, refine="shift")
    )
    how = "UDP, refined as transformers does for ViTPose" if vitpose else "refined by a quarter of a cell"
    assumption = f"output '{output.name}' {list(output.shape)} has a heat map for each keypoint, {how}"
    return FoundHead(head, int(output.shape[1] or 0), assumption, vitpose or named)


def _has_several_keypoints(output: TensorSpec) -> bool:
    return (
        output.dtype == "float32" and output.shape[0] == 1 and isinstance(output.shape[1], int) and output.shape[1] > 1
    )


def _is_vitpose(signature: ModelSignature, output: TensorSpec) -> bool:
    """Whether input and output have the names of transformers' ViTPose."""
    return (signature.inputs[0].name, output.name) == ("pixel_values", "heatmaps")


def _find_regression(signature: ModelSignature, family: LandmarkFamily | None) -> FoundHead | None:
    """Return the head with an output of coordinates, such as [1, 212] or [1, 1, 1, 1404], if any."""
    for output in sorted(signature.outputs, key=lambda each: _POINTS.search(each.name) is None):
        sizes = [size for size in output.shape if size != 1]
        if output.dtype != "float32" or not all(isinstance(size, int) for size in sizes) or not 1 <= len(sizes) <= 2:
            continue
        columns, count = _columns(sizes, family)
        if count < 2:
            continue
        span = family.range if family is not None else "unit"
        head = RegressionHead(output=output.name, columns=columns, range=span)
        assumption = f"output '{output.name}' {list(output.shape)} has {', '.join(columns)} of each keypoint"
        assumption += "" if family is None else f", as in {family.name}"
        sure = family is not None or _POINTS.search(output.name) is not None
        return FoundHead(head, count, assumption, sure, family)
    return None


def _columns(sizes: list[Any], family: LandmarkFamily | None) -> tuple[Literal["xy", "xyz", "yxc"], int]:
    total = int(np.prod(sizes))
    if family is not None:
        return family.columns, total // len(family.columns) if total % len(family.columns) == 0 else 0
    if len(sizes) == 2:
        return ("xyz" if sizes[1] == 3 else "xy"), int(sizes[0]) if sizes[1] in (2, 3) else 0
    if total in (468 * 3, 478 * 3):
        return "xyz", total // 3
    return "xy", total // 2 if total % 2 == 0 else 0
