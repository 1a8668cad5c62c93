"""The rows appended to a set-prediction detector equal the reference's."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tests.native import Session
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.detr.append_detr_postprocess import AppendDetrPostprocess
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.reference_detr import reference_detr

Layout = Literal["queries", "table", "centred"]


@given(
    layout=st.sampled_from(("queries", "table", "centred")),
    softmax=st.booleans(),
    queries=st.integers(1, 30),
    classes=st.integers(1, 12),
    size=st.tuples(st.integers(1, 900), st.integers(1, 900)),
    confidence=st.floats(0, 1, width=32),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_of_every_layout(
    layout: Layout, softmax: bool, queries: int, classes: int, size: tuple[int, int], confidence: float, seed: int
) -> None:
    softmax = softmax and layout == "queries"
    outputs = _outputs(layout, queries, classes + softmax, np.random.default_rng(seed))
    names = list(outputs)
    head = DetrPostprocess(
        layout=layout, output=names[0], boxes=names[-1], size=size, rows=queries, softmax=softmax, confidence=0.5
    )
    patched, options = _model(outputs), PassOptions(missing_postprocess=head)
    infer_shapes(patched)
    assert any(rewrite.applied for rewrite in AppendDetrPostprocess().apply(patched, options))
    infer_shapes(patched)
    assert not any(rewrite.applied for rewrite in AppendDetrPostprocess().apply(patched, options))
    feeds = {f"{name}_fed": array for name, array in outputs.items()}
    given_threshold = {"confidence": np.array([confidence], np.float32)}
    got = Session(patched).run({**feeds, **given_threshold})[DETECTIONS]
    want = reference_detr(head, outputs, {}, confidence)
    near = np.abs(want[0, :, 4] - np.float32(confidence)) < 1e-5
    assert got.shape == want.shape
    np.testing.assert_allclose(got[0][~near], want[0][~near], rtol=1e-5, atol=1e-4)


def _outputs(layout: Layout, queries: int, classes: int, draw: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Return outputs with distinct scores: the order of equal scores is unspecified."""
    boxes = draw.uniform(0, 1, (1, queries, 4))
    scores = draw.permutation(np.linspace(0.01, 0.99, queries * classes)).reshape(1, queries, classes)
    match layout:
        case "queries":
            return {"logits": np.log(scores / (1 - scores)).astype(np.float32), "pred_boxes": boxes.astype(np.float32)}
        case "table":
            return {"table": np.concatenate([boxes, scores], 2).astype(np.float32)}
        case "centred":
            labels = draw.integers(0, classes, (1, queries, 1))
            return {"rows": np.concatenate([boxes, scores[..., :1], labels], 2).astype(np.float32)}


def _model(outputs: dict[str, NDArray[Any]]) -> ir.Model:
    ends = [
        [
            helper.make_tensor_value_info(f"{name}{end}", TensorProto.FLOAT, array.shape)
            for name, array in outputs.items()
        ]
        for end in ("_fed", "")
    ]
    nodes = [helper.make_node("Identity", [f"{name}_fed"], [name]) for name in outputs]
    graph = helper.make_graph(nodes, "set", ends[0], ends[1])
    return ir.from_proto(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
