"""Class maps appended for any layout of the maps give the same class for each pixel."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st

from tests.native import Session
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.postprocess.reference import reference_class_maps


@given(
    seed=st.integers(0, 2**32 - 1),
    channels=st.integers(1, 5),
    size=st.tuples(st.integers(2, 9), st.integers(2, 9)),
    last=st.booleans(),
    opset=st.sampled_from([9, 13, 18]),
)
def test_random_maps(seed: int, channels: int, size: tuple[int, int], last: bool, opset: int) -> None:
    last = last or channels > 1
    shape = [1, *size, channels] if last else [1, channels, *size]
    spec = ClassMapsPostprocess(output="y", channels_last=last, classes=max(2, channels), threshold=0.25)
    text = ",".join(map(str, shape))
    model = ir.from_onnx_text(
        f'<ir_version: 8, opset_import: ["" : {opset}]> g (float[{text}] x) => (float[{text}] y) {{ y = Neg (x) }}'
    )
    given_maps = np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)
    want = reference_class_maps(spec, -given_maps)
    assert want.shape == (1, max(2, channels), *size)
    for graph in lower(model, PassOptions(missing_postprocess=spec)).graphs.values():
        np.testing.assert_array_equal(Session(graph).run({"x": given_maps})["class_maps"], want)
