"""Names of the variants of a model in reports: picture size and batch."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.manifest.inputs.picture import PictureInput
from webbuild.manifest.inputs.point_prompt import PointPromptInput
from webbuild.manifest.inputs.stack import StackInput
from webbuild.manifest.inputs.tensor import TensorInput
from webbuild.manifest.manifest import Manifest


def variant_names(manifest: Manifest) -> list[str]:
    """Return a name for each of `every_variant`, from the property that differs: `640x480`, `batch 4`, `16 objects`."""
    every = manifest.every_variant
    sizes = [f"{size[0]}x{size[1]}" if (size := picture_size(each)) else "" for each in every]
    batches = [f"batch {picture_batch(each)}" for each in every]
    clicks = [
        f"{prompt_points(each)} points" if (count := prompt_objects(each)) == 1 else f"{count} objects"
        for each in every
    ]
    differing = [names for names in (sizes, batches, clicks) if len(set(names)) > 1]
    named = [" ".join(names) for names in zip(*differing, strict=True)]
    return named or (_tensor_sizes(every) if len(every) > 1 else [""])


def _tensor_sizes(every: Sequence[Manifest]) -> list[str]:
    """Return the width and height of each variant of a tensor that only --size treats as a picture."""
    for specs in zip(*(each.inputs for each in every), strict=True):
        sizes = [_sides(spec.shape) for spec in specs if isinstance(spec, TensorInput)]
        if len(set(sizes)) == len(every):
            return sizes
    return [""]


def _sides(shape: Sequence[int]) -> str:
    match shape:
        case [_, 1 | 3 | 4, height, width] | [_, height, width, 1 | 3 | 4] | [_, _, height, width]:
            return f"{width}x{height}"
    return ""


def prompt_points(manifest: Manifest) -> int:
    """Return the number of points in a prompt, 0 for a model without prompts."""
    return next((each.shape[-2] for each in _points(manifest)), 0)


def prompt_objects(manifest: Manifest) -> int:
    """Return the number of objects with prompts in a run, 1 for a model without prompts."""
    return next((each.shape[-3] for each in _points(manifest)), 1)


def _points(manifest: Manifest) -> list[PointPromptInput]:
    return [each for each in manifest.inputs if isinstance(each, PointPromptInput) and each.role == "points"]


def picture_size(manifest: Manifest) -> tuple[int, int] | None:
    """Return the width and height of the pictures that a model takes; None if it takes none."""
    spec = next((each for each in manifest.inputs if isinstance(each, PictureInput | StackInput)), None)
    if spec is None:
        return None
    height, width = spec.shape[-3:-1] if isinstance(spec, PictureInput) and spec.layout != "nchw" else spec.shape[-2:]
    return width, height


def picture_sizes(manifest: Manifest) -> list[tuple[int, int]]:
    """Return the distinct widths and heights of pictures of all variants."""
    sizes = (picture_size(each) for each in manifest.every_variant)
    return list(dict.fromkeys(size for size in sizes if size is not None))


def for_one_picture(manifest: Manifest) -> Manifest:
    """Return the manifest of a batch as the manifest for one of its pictures."""
    if picture_batch(manifest) == 1:
        return manifest
    inputs = [
        msgspec.structs.replace(each, shape=[1, *each.shape[1:]]) if isinstance(each, PictureInput) else each
        for each in manifest.inputs
    ]
    outputs = [msgspec.structs.replace(each, shape=[1, *each.shape[1:]]) for each in manifest.outputs]
    return msgspec.structs.replace(manifest, inputs=inputs, outputs=outputs)


def picture_batch(manifest: Manifest) -> int:
    """Return the number of pictures in a run, each with its own result."""
    pictures = (each for each in manifest.inputs if isinstance(each, PictureInput))
    return next((1 if each.layout == "hwc" else each.shape[0] for each in pictures), 1)
