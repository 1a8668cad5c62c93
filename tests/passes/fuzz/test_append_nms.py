"""An appended NMS head gives the reference's rows, for any boxes and thresholds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.nms.test_append_nms import ANCHORS, HEADS, appended, crowd
from tests.raw_heads import raw_output
from webbuild.postprocess.reference_nms import reference_nms


@given(
    name=st.sampled_from(sorted(HEADS)),
    seed=st.integers(0, 2**32 - 1),
    confidence=st.one_of(st.just(0.25), st.floats(0, 1, width=32)),
    iou=st.one_of(st.just(0.7), st.floats(0, 1, width=32)),
)
def test_random_crowds(name: str, seed: int, confidence: float, iou: float) -> None:
    raw = HEADS[name]
    output = raw_output(raw, crowd(raw, seed), ANCHORS, seed)
    want = reference_nms(raw, output, confidence, iou)
    np.testing.assert_array_equal(appended(name).rows("wasm", output, confidence=confidence, iou=iou), want)
    answer = appended(name).run("webgpu", output, confidence=confidence, iou=iou)
    if answer["head_status"][0] == 1:
        np.testing.assert_array_equal(answer["detections"], want)
