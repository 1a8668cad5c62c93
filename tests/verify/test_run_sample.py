"""The allowed difference between a page's image tensor and Python's."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.manifests import image_input
from webbuild.verify.run_sample import TRANSLUCENT_LEVELS, input_tolerance

IMAGENET = msgspec.structs.replace(image_input(), mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
LEVEL = IMAGENET.scale / 0.224
WANT = np.array([2.5, -1], np.float32)


def test_a_gpu_may_be_a_thousandth_of_a_level_away_and_a_cpu_only_as_far_as_numbers_round() -> None:
    assert input_tolerance(IMAGENET, WANT, "wasm") == pytest.approx(2.5e-6)
    assert input_tolerance(IMAGENET, WANT, "webgpu") == pytest.approx(LEVEL / 1000)


def test_a_translucent_picture_may_be_further_away_where_a_canvas_cuts_colours_off() -> None:
    assert TRANSLUCENT_LEVELS == {"Chromium": 1, "Firefox": 2, "WebKitGTK": 2, "Safari": 2}
    for backend in ("wasm", "webgpu"):
        assert input_tolerance(IMAGENET, WANT, backend, 2) == pytest.approx(2 * LEVEL)
