"""Reference images: the second picture of a model that takes two, such as a style; see `ReferenceInput`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from numpy.typing import NDArray

from webbuild.manifest.inputs.input import Input
from webbuild.manifest.inputs.picture import ImageInput, ReferenceInput
from webbuild.preprocess.image import image_to_tensor, load_image


def find_reference_input(inputs: Sequence[Input]) -> ReferenceInput | None:
    """Return the input of the reference image, None if the model takes one picture."""
    return next((spec for spec in inputs if isinstance(spec, ReferenceInput)), None)


def reference_to_image_input(reference: ReferenceInput) -> ImageInput:
    """Return the image input with the same preprocessing."""
    return ImageInput(**msgspec.structs.asdict(reference))


def image_to_reference_input(image: ImageInput) -> ReferenceInput:
    """Return the reference input with the preprocessing of an image input."""
    fields = msgspec.structs.asdict(image)
    return ReferenceInput(**{name: fields[name] for name in ReferenceInput.__struct_fields__})


def choose_reference_image(inputs: Sequence[Input], files: Sequence[Path], index: int) -> Path | None:
    """Return the reference image of sample `index`: the next sample's picture, for the last sample the first one."""
    return None if find_reference_input(inputs) is None else files[(index + 1) % len(files)]


def reference_image_feeds(inputs: Sequence[Input], file: Path | None) -> dict[str, NDArray[Any]]:
    """Return the tensor of the reference image, {} for a model that takes one picture.

    Raises:
        WebbuildError: `unreadable-image`.
    """
    reference = find_reference_input(inputs)
    if reference is None or file is None:
        return {}
    return {reference.name: image_to_tensor(load_image(file), reference_to_image_input(reference))[0]}
