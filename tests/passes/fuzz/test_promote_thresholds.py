"""Thresholds given as inputs act like exported ones."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st

from tests.native import Session
from tests.passes.selections import crowd, end2end, multiclass
from tests.passes.test_selections import feeds_of
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.nms.promote_thresholds import PromoteThresholds

_SHARE = st.floats(0, 1, width=32)


@given(
    form=st.sampled_from(("end2end", "multiclass")),
    exported=st.tuples(_SHARE, _SHARE),
    fed=st.tuples(_SHARE, _SHARE),
    classes=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_thresholds_that_are_fed(
    form: str, exported: tuple[float, float], fed: tuple[float, float], classes: int, seed: int
) -> None:
    make = end2end if form == "end2end" else multiclass
    boxes, scores = crowd(seed, 1, classes, 30, 20)
    feeds = feeds_of(form, boxes, scores, 8)
    patched = ir.from_proto(make(1, classes, 30, 8, *exported))
    infer_shapes(patched)
    assert len(PromoteThresholds().apply(patched, PassOptions())) == 2
    assert not PromoteThresholds().apply(patched, PassOptions())
    told = [patched.metadata_props[f"webbuild.option.{option}"].rpartition("=") for option in ("iou", "confidence")]
    assert [np.float32(value) for _, _, value in told] == [np.float32(value) for value in exported]
    for iou, score in (exported, fed):
        want = Session(make(1, classes, 30, 8, iou, score)).run(feeds)
        thresholds = {told[0][0]: np.array([iou], np.float32), told[1][0]: np.array([score], np.float32)}
        got = Session(patched).run({**feeds, **thresholds})
        assert set(want) == set(got)
        for name, rows in want.items():
            np.testing.assert_array_equal(got[name], rows)
