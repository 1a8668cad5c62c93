"""RoiAlign written as GridSample, or as Gathers."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_roi_align import DecomposeRoiAlign


@given(
    map_=st.tuples(st.integers(1, 3), st.integers(1, 9), st.integers(1, 9)),
    regions=st.integers(1, 4),
    bins=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    ratio=st.integers(1, 3),
    scale=st.sampled_from((1.0, 0.5, 0.25)),
    mode=st.sampled_from(("half_pixel", "output_half_pixel")),
    opset=st.sampled_from((11, 16)),
    seed=st.integers(0, 999),
)
def test_of_any_form(
    map_: tuple[int, int, int],
    regions: int,
    bins: tuple[int, int],
    ratio: int,
    scale: float,
    mode: str,
    opset: int,
    seed: int,
) -> None:
    draw = np.random.default_rng(seed)
    first = draw.uniform(-4, 8 / scale, (regions, 2))
    rois = np.concatenate([first, first + draw.uniform(0.1, 8 / scale, (regions, 2))], 1).astype(np.float32)
    feeds = {"x": draw.random((1, *map_), np.float32), "rois": rois}
    node = onnx.helper.make_node(
        "RoiAlign",
        ["x", "rois", "batch"],
        ["y"],
        output_height=bins[0],
        output_width=bins[1],
        sampling_ratio=ratio,
        spatial_scale=scale,
        **({"coordinate_transformation_mode": mode} if opset >= 16 else {}),
    )
    model = model_of([node], feeds, opset, {"batch": np.zeros(regions, np.int64)})
    assert_same(model, DecomposeRoiAlign, feeds, 1e-4)
