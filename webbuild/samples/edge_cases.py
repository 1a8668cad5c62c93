"""Edge cases of picture models besides the samples: random noise, and a uniform grey picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import CropInput, ImageInput, Input, StackInput
from webbuild.preprocess.image import input_size, normalize, pad_color
from webbuild.preprocess.image_stack import stack_image_spec
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.mask import with_hole
from webbuild.preprocess.reference_image import find_reference_input, reference_to_image_input
from webbuild.samples.random_inputs import NO_RANGES, Ranges
from webbuild.samples.sample import Sample, feeds_beside_image


def edge_cases(inputs: Sequence[Input], ranges: Ranges = NO_RANGES) -> list[Sample]:
    """Return a noise sample and a uniform grey sample, which reach branches of the model that photographs do not."""
    stack = next((spec for spec in inputs if isinstance(spec, StackInput)), None)
    image = (
        stack_image_spec(stack)
        if stack
        else next((spec for spec in inputs if isinstance(spec, ImageInput | CropInput)), None)
    )
    if image is None:
        return []
    height, width = input_size(image)
    count, shape = (1, image.shape) if stack is None else (stack.count, stack.shape)
    padding = np.full(3, float(image.pad)) if isinstance(image, CropInput) else pad_color(image)
    flat = normalize(np.broadcast_to(padding, (height, width, 3)), image)
    whole = ImagePlacement(width, height, 0, 0, width, height, width, height)
    rest = feeds_beside_image(inputs, whole, ranges=ranges)

    def noise(attempt: int) -> dict[str, NDArray[Any]]:
        generator = np.random.default_rng(attempt)
        pictures = [normalize(generator.random((height, width, 3)) * 255, image) for _ in range(count)]
        second = _second(inputs, lambda size: generator.random((*size, 3)) * 255)
        return with_hole({image.name: np.concatenate(pictures).reshape(shape), **second, **rest}, inputs, whole)

    second = _second(inputs, lambda size: np.full((*size, 3), 255.0))
    grey = with_hole({image.name: np.concatenate([flat] * count).reshape(shape), **second, **rest}, inputs, whole)
    return [Sample("(noise)", noise(0), placement=whole, redraw=noise), Sample("(grey)", grey, placement=whole)]


def _second(inputs: Sequence[Input], draw: Callable[[tuple[int, int]], NDArray[np.float64]]) -> dict[str, NDArray[Any]]:
    """Return the tensor of the reference image, drawn as RGB [height, width, 3]; {} for a model without one."""
    reference = find_reference_input(inputs)
    if reference is None:
        return {}
    image = reference_to_image_input(reference)
    return {image.name: normalize(draw(input_size(image)), image)}
