"""Where with boolean values, for which ONNX Runtime has no kernel, equals NumPy's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.native import Session
from tests.passes.fuzz.model import changed, model_of
from webbuild.passes.decompose.decompose_bool_where import DecomposeBoolWhere

_SIZES = st.lists(st.integers(1, 4), min_size=0, max_size=4)


@given(sizes=_SIZES, ones=st.lists(st.integers(0, 15), min_size=3, max_size=3), opset=st.sampled_from((9, 13, 16)))
def test_a_choice(sizes: list[int], ones: list[int], opset: int) -> None:
    draw = np.random.default_rng(sum(ones))
    shapes = [[1 if bits >> axis & 1 else size for axis, size in enumerate(sizes)] for bits in ones]
    which, yes, no = (draw.integers(0, 2, shape).astype(bool) for shape in shapes)
    feeds = {"which": which, "yes": yes, "no": no}
    model = model_of([helper.make_node("Where", ["which", "yes", "no"], ["y"])], feeds, opset)
    got = Session(changed(model, DecomposeBoolWhere)).run(feeds)["y"]
    np.testing.assert_array_equal(got, np.where(which, yes, no))


@given(
    sizes=_SIZES,
    ones=st.lists(st.integers(0, 15), min_size=3, max_size=3),
    kind=st.sampled_from((TensorProto.INT8, TensorProto.INT16, TensorProto.UINT16)),
)
def test_a_choice_between_small_numbers(sizes: list[int], ones: list[int], kind: int) -> None:
    draw = np.random.default_rng(sum(ones))
    shapes = [[1 if bits >> axis & 1 else size for axis, size in enumerate(sizes)] for bits in ones]
    low, high = (
        (0, 65536) if kind == TensorProto.UINT16 else (-128, 128) if kind == TensorProto.INT8 else (-32768, 32768)
    )
    which, yes, no = (draw.integers(low, high, shape).astype(np.int32) for shape in shapes)
    feeds = {"which": np.asarray(which > (low + high) // 2), "yes": yes, "no": no}
    nodes = [helper.make_node("Cast", [name], [f"small_{name}"], to=kind) for name in ("yes", "no")]
    nodes.append(helper.make_node("Where", ["which", "small_yes", "small_no"], ["chosen"]))
    nodes.append(helper.make_node("Cast", ["chosen"], ["y"], to=TensorProto.INT32))
    got = Session(changed(model_of(nodes, feeds, 17), DecomposeBoolWhere)).run(feeds)["y"]
    np.testing.assert_array_equal(got, np.where(feeds["which"], yes, no))
