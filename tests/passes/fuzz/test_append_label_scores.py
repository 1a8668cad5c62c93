"""Random embeddings, pooled or not, give the same label scores as NumPy."""

from __future__ import annotations

from typing import Literal

import numpy as np
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st

from tests.native import Session
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.reference_label_scores import reference_label_scores
from webbuild.postprocess.unit_vectors import unit_vectors


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(2, 40),
    labels=st.integers(1, 9),
    pooling=st.sampled_from(["none", "cls", "mean"]),
    bias=st.sampled_from([0.0, -2.5]),
    sigmoid=st.booleans(),
    opset=st.sampled_from([9, 13, 18]),
)
def test_random_embeddings(
    seed: int,
    size: int,
    labels: int,
    pooling: Literal["none", "cls", "mean"],
    bias: float,
    sigmoid: bool,
    opset: int,
) -> None:
    random = np.random.default_rng(seed)
    tokens = 1 if pooling == "none" else 5
    shape = [1, size] if pooling == "none" else [1, tokens, size]
    vectors = unit_vectors(random.standard_normal((labels, size))).astype("<f4").tobytes()
    spec = LabelScoresPostprocess(
        output="y", size=size, tokens=tokens, pooling=pooling, vectors=vectors, scale=10, bias=bias, sigmoid=sigmoid
    )
    text = ",".join(map(str, shape))
    model = ir.from_onnx_text(
        f'<ir_version: 8, opset_import: ["" : {opset}]> g (float[{text}] x) => (float[{text}] y) {{ y = Neg (x) }}'
    )
    x = random.normal(0, 1, shape).astype(np.float32)
    want = reference_label_scores(spec, -x)
    assert want.shape == (1, labels)
    for graph in lower(model, PassOptions(missing_postprocess=spec)).graphs.values():
        np.testing.assert_allclose(Session(graph).run({"x": x})["label_scores"], want, rtol=0, atol=1e-4)
