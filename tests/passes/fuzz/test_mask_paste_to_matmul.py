"""Masks pasted by two matrix products equal masks that a loop resizes and pads one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same
from tests.passes.mask_paste import paste_model
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.segmentation.mask_paste_to_matmul import MaskPasteToMatmul

CORNERS = st.lists(st.tuples(*[st.floats(-12, 20, width=32)] * 4), max_size=4)


def boxes_of(corners: list[tuple[float, ...]], kind: str) -> np.ndarray[Any, Any]:
    return np.array(corners, np.float32).reshape(-1, 4).astype(kind)


@given(
    corners=CORNERS,
    mask=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    picture=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    mode=st.sampled_from(("half_pixel", "pytorch_half_pixel")),
    kind=st.sampled_from(("float32", "int64")),
    counted=st.sampled_from(("masks", "corners")),
    opset=st.sampled_from((11, 12, 13, 16, 18, 20)),
    seed=st.integers(0, 99),
)
def test_boxes_inside_outside_and_turned_around(
    corners: list[tuple[float, ...]],
    mask: tuple[int, int],
    picture: tuple[int, int],
    mode: str,
    kind: str,
    counted: str,
    opset: int,
    seed: int,
) -> None:
    masks = np.random.default_rng(seed).uniform(0, 1, (len(corners), 1, *mask)).astype(np.float32)
    feeds = {"masks": masks, "boxes": boxes_of(corners, kind)}
    model = paste_model(feeds["masks"], feeds["boxes"], picture=picture, mode=mode, opset=opset, counted=counted)
    assert_same(model, MaskPasteToMatmul, feeds, MaskPasteToMatmul.tolerance)


@pytest.mark.parametrize("change", [{"mode": "asymmetric"}, {"resize": "nearest"}, {"beside": 2}], ids=str)
def test_a_loop_that_computes_something_else_is_left_alone(change: dict[str, Any]) -> None:
    feeds = {"masks": np.ones((2, 1, 3, 3), np.float32), "boxes": boxes_of([(0, 0, 3, 3)] * 2, "float32")}
    model = ir.from_proto(paste_model(feeds["masks"], feeds["boxes"], picture=(6, 7), **change))
    infer_shapes(model)
    (left,) = MaskPasteToMatmul().apply(model, PassOptions())
    assert (left.applied, left.reason) == (False, "it does not add a mask resized to its box")
