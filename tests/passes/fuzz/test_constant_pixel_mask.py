"""A mask input that becomes a constant of ones gives the same result as a mask fed with ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tests.native import Session
from tests.passes.fuzz.model import model_of
from webbuild.passes.base import PassOptions
from webbuild.passes.detr.constant_pixel_mask import ConstantPixelMask
from webbuild.postprocess.detr import DetrPostprocess

_TYPES = (np.int64, np.int32, np.float32, np.bool_)


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    kind=st.sampled_from(_TYPES),
    read=st.integers(1, 3),
    other=st.booleans(),
)
def test_masks_that_are_ones(sizes: list[int], kind: type, read: int, other: bool) -> None:
    draw = np.random.default_rng(read)
    x, mask = draw.uniform(-1, 1, sizes).astype(np.float32), _filled(sizes, 1, kind)
    nodes = [helper.make_node("Cast", ["pixel_mask"], ["v0"], to=TensorProto.FLOAT)]
    nodes += [helper.make_node("Add", [f"v{at}", "v0"], [f"v{at + 1}"]) for at in range(read)]
    nodes.append(helper.make_node("Mul", ["x", f"v{read}"], ["scaled"]))
    spare = _filled(sizes, int(draw.integers(2)), kind)
    nodes.append(helper.make_node("Cast", ["other_mask"], ["shift"], to=TensorProto.FLOAT))
    nodes.append(helper.make_node("Add", ["scaled", "shift"], ["y"]))
    feeds = {"x": x, "pixel_mask": mask, "other_mask": spare}
    model = model_of(nodes, feeds, 17)
    want = Session(model).run(feeds)["y"]

    ones = {"pixel_mask": tuple(sizes)} | ({"other_mask": tuple(sizes)} if other else {})
    head = DetrPostprocess(
        layout="table", output="y", boxes="y", size=(8, 8), rows=1, confidence=0.5, constant_masks=ones
    )
    patched = ir.from_proto(model)
    assert len(ConstantPixelMask().apply(patched, PassOptions(missing_postprocess=head))) == len(ones)
    assert not ConstantPixelMask().apply(patched, PassOptions(missing_postprocess=head))
    assert [value.name for value in patched.graph.inputs] == [name for name in feeds if name not in ones]
    if other:
        want = want - spare.astype(np.float32) + 1
    got = Session(patched).run({name: array for name, array in feeds.items() if name not in ones})["y"]
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-6)


def _filled(sizes: list[int], value: int, kind: type) -> NDArray[Any]:
    return np.full(sizes, value).astype(kind)
