"""More pictures for a model whose answers leap, made of the few that there are.

How far the answers of such a model lie apart is told by many objects alone: of five, one that leaps is most of the
root mean square, of the reference as of the backend. The same picture mirrored, or without its margin, is another
picture to the model, with about as many objects in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image, ImageOps

from webbuild.manifest import ImageInput, RowTask
from webbuild.nodes import operators
from webbuild.verify.inputs import Given, image_input
from webbuild.verify.opened import Bundle
from webbuild.verify.reference import Expected, reference_file
from webbuild.verify.steadiness import QUANTISING

ENOUGH = 20
"""Objects from which on the pictures there are will do."""

_MARGIN = 0.05
"""Part of each side that is cut off."""


def more_pictures(bundle: Bundle, work: Sequence[tuple[Given, Expected]], folder: Path) -> list[Path]:
    """Write pictures into a folder until there are about `ENOUGH` objects, and return their files.

    None for a model that does not quantise its activations at run time, or finds no objects, or enough of them.
    """
    found = sum(len(want.detections) for _, want in work)
    objects = isinstance(bundle.manifest.task, RowTask) and isinstance(image_input(bundle.manifest), ImageInput)
    if not objects or not 0 < found < ENOUGH or not operators(reference_file(bundle)) & QUANTISING:
        return []
    files: list[Path] = []
    for number, change in enumerate((_mirrored, _inner, lambda image: _mirrored(_inner(image))), 2):
        if found * (number - 1) >= ENOUGH:
            break
        files += [_written(change, given, folder) for given, _ in work if given.file is not None]
    return files


def _written(change: Callable[[Image.Image], Image.Image], given: Given, folder: Path) -> Path:
    assert given.file is not None
    made = folder / f"{given.file.stem}-{len(list(folder.iterdir())) + 1}.png"
    with Image.open(given.file) as image:
        change(ImageOps.exif_transpose(image).convert("RGB")).save(made)
    return made


def _mirrored(image: Image.Image) -> Image.Image:
    return ImageOps.mirror(image)


def _inner(image: Image.Image) -> Image.Image:
    """Return a picture without its margin."""
    width, height = image.size
    left, top = round(width * _MARGIN), round(height * _MARGIN)
    return image.crop((left, top, width - left, height - top))
