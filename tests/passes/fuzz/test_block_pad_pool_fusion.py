"""A Pad with -0 before a pool equals a Pad with 0, with and without the engine's optimizations."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, changed, model_of
from webbuild.passes.workarounds.block_pad_pool_fusion import BlockPadPoolFusion, fusion_outcome


@given(
    op=st.sampled_from(("MaxPool", "AveragePool")),
    rank=st.integers(1, 2),
    room=st.lists(st.integers(0, 3), min_size=4, max_size=4),
    own=st.integers(0, 1),
    kernel=st.integers(2, 3),
    ceil=st.booleans(),
    value=st.sampled_from((None, 0.0)),
    opset=st.sampled_from((8, 10, 11, 13, 18, 21)),
    seed=st.integers(0, 999),
)
def test_the_zeros_count(
    op: str, rank: int, room: list[int], own: int, kernel: int, ceil: bool, value: float | None, opset: int, seed: int
) -> None:
    assume(opset >= 10 or not ceil)
    x = np.random.default_rng(seed).standard_normal((1, 2, 7, 6)[: rank + 2]).astype(np.float32) - 1
    pads = [0, 0, *room[:rank], 0, 0, *room[2 : 2 + rank]]
    held = {"p": np.array(pads, np.int64)} | ({} if value is None else {"v": np.array(value, np.float32)})
    if opset < 11:
        pad, held = onnx.helper.make_node("Pad", ["x"], ["a"], pads=pads), {}
    else:
        pad = onnx.helper.make_node("Pad", ["x", *held], ["a"])
    pool = onnx.helper.make_node(op, ["a"], ["y"], kernel_shape=[kernel] * rank, strides=[2] * rank)
    pool.attribute.append(onnx.helper.make_attribute("pads", [own] * 2 * rank))
    if ceil:
        pool.attribute.append(onnx.helper.make_attribute("ceil_mode", 1))
    model = model_of([pad, pool], {"x": x}, opset, held)
    first, second = ir.from_proto(model).graph
    assume(fusion_outcome(first, second) is not None)
    assert_same(model, BlockPadPoolFusion, {"x": x})
    optimized = onnxruntime.InferenceSession(changed(model, BlockPadPoolFusion).SerializeToString())
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    want = onnxruntime.InferenceSession(model.SerializeToString(), plain).run(None, {"x": x})[0]
    np.testing.assert_array_equal(optimized.run(None, {"x": x})[0], want)
