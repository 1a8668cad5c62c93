"""Augmentation: mirrored and cropped pictures for a numerically unstable model.

The noise of an unstable model only shows on many objects: with five objects, one large change dominates the root mean
square of both the reference and the backend. A mirrored picture, or one without its margin, is a different picture for
the model, with about as many objects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image, ImageOps

from webbuild.equivalence.compare_runs import Reference
from webbuild.manifest.manifest import ImageInput
from webbuild.preprocess.image import PICTURE_FORMATS
from webbuild.tasks.registry import kind_of
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput, picture_input

ENOUGH_OBJECTS = 20
"""Number of objects from which no more pictures are needed."""

_CROP_MARGIN = 0.05
"""Fraction of the width or height that is cut off at each edge."""


def augment_images(bundle: Bundle, inputs: Sequence[VerifyInput], reference: Reference, folder: Path) -> list[Path]:
    """Write pictures into a folder until there are about `ENOUGH_OBJECTS` objects, and return their files.

    Return none for a model that finds no objects or enough objects, or that is stable under perturbed inputs.
    """
    count = sum(len(want.detections) for want in reference.answers)
    objects = kind_of(bundle.manifest.task).finds_anywhere and isinstance(picture_input(bundle.manifest), ImageInput)
    if not objects or not 0 < count < ENOUGH_OBJECTS or reference.noise is None or not reference.noise.is_unstable:
        return []
    files: list[Path] = []
    for number, change in enumerate((_mirror, _center_crop, lambda image: _mirror(_center_crop(image))), 2):
        if count * (number - 1) >= ENOUGH_OBJECTS:
            break
        seen = [each for each in zip(inputs, reference.answers, strict=True) if not each[0].sequence]
        files += [_write_augmented(change, each, folder) for each, want in seen if each.file and want.detections]
    return files


def _write_augmented(change: Callable[[Image.Image], Image.Image], verify_input: VerifyInput, folder: Path) -> Path:
    assert verify_input.file is not None
    file = folder / f"{verify_input.file.stem}-{len(list(folder.iterdir())) + 1}.png"
    with Image.open(verify_input.file, formats=PICTURE_FORMATS) as image:
        change(ImageOps.exif_transpose(image).convert("RGB")).save(file)
    return file


def _mirror(image: Image.Image) -> Image.Image:
    return ImageOps.mirror(image)


def _center_crop(image: Image.Image) -> Image.Image:
    """Return a picture without its margin."""
    width, height = image.size
    left, top = round(width * _CROP_MARGIN), round(height * _CROP_MARGIN)
    return image.crop((left, top, width - left, height - top))
