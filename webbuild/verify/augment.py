"""More pictures for a numerically unstable model, made from the given ones.

How far the answers of such a model lie apart only shows on many objects: of five, one that moves far is most of the
root mean square, of the reference as of the backend. The same picture mirrored, or without its margin, is another
picture to the model, with about as many objects in it.
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
"""Objects from which on the pictures there are will do."""

_CROP_MARGIN = 0.05
"""Part of each side that is cut off."""


def augment_images(bundle: Bundle, inputs: Sequence[VerifyInput], reference: Reference, folder: Path) -> list[Path]:
    """Write pictures into a folder until there are about `ENOUGH_OBJECTS` objects, and return their files.

    None for a model that finds no objects or enough of them, or whose own answers stay within tolerance when its
    inputs are perturbed.
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
