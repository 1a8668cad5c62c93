"""The second picture of a model that takes two, such as a style; see `ReferenceInput`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from numpy.typing import NDArray

from webbuild.manifest.inputs.input import Input
from webbuild.manifest.inputs.picture import ImageInput, ReferenceInput
from webbuild.preprocess.image import image_to_tensor, load_image


def find_reference(inputs: Sequence[Input]) -> ReferenceInput | None:
    """Return the second picture among a model's inputs, None where it takes none."""
    return next((spec for spec in inputs if isinstance(spec, ReferenceInput)), None)


def image_of(reference: ReferenceInput) -> ImageInput:
    """Return the input of the picture that becomes the same tensor."""
    return ImageInput(**msgspec.structs.asdict(reference))


def reference_of(image: ImageInput) -> ReferenceInput:
    """Return a picture's input as that of the second picture."""
    fields = msgspec.structs.asdict(image)
    return ReferenceInput(**{name: fields[name] for name in ReferenceInput.__struct_fields__})


def reference_file(inputs: Sequence[Input], files: Sequence[Path], index: int) -> Path | None:
    """Return the second picture that a sample is compared with: the next sample, the first for the last."""
    return None if find_reference(inputs) is None else files[(index + 1) % len(files)]


def reference_feeds(inputs: Sequence[Input], file: Path | None) -> dict[str, NDArray[Any]]:
    """Return the tensor of the second picture; none for a model that takes none.

    Raises:
        WebbuildError: `unreadable-image`.
    """
    reference = find_reference(inputs)
    if reference is None or file is None:
        return {}
    return {reference.name: image_to_tensor(load_image(file), image_of(reference))[0]}
