"""A stack of images as one tensor, and the numbers that accompany it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import FocusInput, Letterbox, StackInput
from webbuild.preprocess.image_stack import focus_tensor, stack_tensor

FOCUS = FocusInput(name="focus", shape=[1, 2, 1, 1], default=[0.5, 3.0])


def spec(*shape: int) -> StackInput:
    letterbox = Letterbox(mode="stretch", interpolation="nearest")
    return StackInput(
        name="stack", shape=list(shape), count=2, scale=1.0, mean=[0.0] * 3, std=[1.0] * 3, letterbox=letterbox
    )


def picture(height: int, width: int, level: int) -> NDArray[np.uint8]:
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[..., :3] = level + np.arange(3)
    return pixels


@pytest.mark.parametrize("shape", [(1, 2, 3, 2, 4), (2, 3, 2, 4)])
def test_pictures_lie_behind_one_another_each_with_its_channels_first(shape: tuple[int, ...]) -> None:
    tensor, placement = stack_tensor("s", [picture(4, 8, 10), picture(4, 8, 50)], spec(*shape))
    assert tensor.shape == shape
    levels = tensor.reshape(2, 3, 8)
    assert (levels == np.array([[10, 11, 12], [50, 51, 52]])[..., None]).all()
    assert (placement.source_width, placement.source_height, placement.width, placement.height) == (8, 4, 4, 2)


@pytest.mark.parametrize(
    ("pictures", "said"),
    [
        ([picture(4, 8, 1)], "1 picture"),
        ([picture(4, 8, 1)] * 3, "3 picture"),
        ([], "0 picture"),
        ([picture(4, 8, 1), picture(8, 4, 1)], "4 x 8 and 8 x 4"),
    ],
)
def test_another_number_of_pictures_or_two_sizes_are_refused(pictures: list[NDArray[np.uint8]], said: str) -> None:
    with pytest.raises(WebbuildError, match=said) as caught:
        stack_tensor("scene", pictures, spec(2, 3, 2, 4))
    assert (caught.value.code, caught.value.exit_code) == ("invalid-sample", 2)
    assert "scene" in str(caught.value)


def test_focal_distances_are_the_samples_or_the_inputs_own() -> None:
    assert focus_tensor(FOCUS, [1, 2]).tolist() == [[[[1]], [[2]]]]
    assert focus_tensor(FOCUS, []).ravel().tolist() == [0.5, 3]
    with pytest.raises(WebbuildError, match=r"takes 2 focal distances, the sample has 3"):
        focus_tensor(FOCUS, [1, 2, 3])
