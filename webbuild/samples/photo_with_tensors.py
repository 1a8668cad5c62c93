"""Photographs as samples for a model that takes a picture and other tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput, TensorInput
from webbuild.preprocess.image import image_to_tensor, load_image
from webbuild.preprocess.picture_shape import picture_of_shape
from webbuild.samples.random_inputs import Ranges, random_inputs
from webbuild.samples.sample import Sample


def input_for_photographs(inputs: Sequence[TensorInput]) -> ImageInput | None:
    """Return the only input with the shape of an RGB picture; None if there are several, or no other inputs."""
    pictures = [picture for spec in inputs if (picture := picture_of_shape(spec)) and picture.color == "rgb"]
    return pictures[0] if len(pictures) == 1 and len(inputs) > 1 else None


def sample_beside_tensors(
    file: Path, image: ImageInput, inputs: Sequence[TensorInput], ranges: Ranges, states: Mapping[str, NDArray[Any]]
) -> Sample:
    """Return a sample of a photograph, stretched, as 0..1 or bytes. Its name lists the inputs that are random."""
    others = [spec for spec in inputs if spec.name != image.name]
    feeds = {**random_inputs(others, ranges)[0][1], image.name: image_to_tensor(load_image(file), image)[0]}
    names = ", ".join(f"'{spec.name}'" for spec in others)
    return Sample(f"{file.name} (random {names})", {**feeds, **states})
