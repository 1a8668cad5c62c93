"""The exports are complete: their weights are restored, and native ONNX Runtime runs each of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.exports import NAMES, restored
from tests.native import Session


def test_there_is_one_of_every_head() -> None:
    kinds = {name.rpartition("/")[2] for name in NAMES}
    heads = ("detect", "pose", "segment", "obb")
    wanted = {f"{head}-{kind}{form}" for head in heads for kind in ("nms", "raw") for form in ("", "-dynamic")}
    assert wanted | {f"{head}-one-to-one" for head in heads} | {"classify", "detect-v10"} <= kinds


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_its_answer_hangs_on_the_picture(name: str) -> None:
    session = Session(restored(name))
    grey, noise = np.full((1, 3, 64, 64), 0.45, np.float32), np.random.default_rng(0).random((1, 3, 64, 64), np.float32)
    first, second = (session.run({"images": picture}) for picture in (grey, noise))
    assert all(np.isfinite(array).all() for array in (*first.values(), *second.values()))
    assert any(not np.array_equal(first[name], second[name]) for name in first)
