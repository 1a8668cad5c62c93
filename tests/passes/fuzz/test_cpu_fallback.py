"""Nodes named for CPU fallback: all that the GPU computes wrongly and no others, each with a unique name."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.native import Session
from tests.passes.fuzz.model import WEBGPU, model_of
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.workarounds.cpu_fallback import CpuFallback, cpu_node_names
from webbuild.targets.table import load_table

_STEPS = st.tuples(st.sampled_from(("smooth", "antialias", "nearest", "last axes", "Relu")), st.booleans())
_WRONG = ("antialias", "last axes")


@given(steps=st.lists(_STEPS, min_size=1, max_size=5), size=st.integers(3, 6))
def test_what_only_the_cpu_gets_right_is_named(steps: list[tuple[str, bool]], size: int) -> None:
    x = np.random.default_rng(size).uniform(-1, 1, (1, size, size, size)).astype(np.float32)
    nodes = [_node(kind, f"Resize/cpu_{at}" if named else "", at) for at, (kind, named) in enumerate(steps)]
    ends = helper.make_node("Identity", ["x"], ["v0"]), helper.make_node("Identity", [f"v{len(steps)}"], ["y"])
    scales = {"square": np.array([1, 1, 2, 2], np.float32), "last": np.array([1, 2, 2, 1], np.float32)}
    model = model_of([ends[0], *nodes, ends[1]], {"x": x}, 18, scales)

    patched, options = ir.from_proto(model), PassOptions(table=load_table(WEBGPU))
    infer_shapes(patched)
    rewrites = CpuFallback().apply(patched, options)
    named = cpu_node_names(patched)
    assert len(rewrites) == len(named) == sum(kind in _WRONG for kind, _ in steps)
    assert not CpuFallback().apply(patched, options)
    assert cpu_node_names(patched) == named
    names = [node.name for node in patched.graph]
    for name in named:
        assert names.count(name) == 1
    kinds = {id(node): kind for node, (kind, _) in zip(list(patched.graph)[1:-1], steps, strict=True)}
    assert all(kinds[id(node)] in _WRONG for node in patched.graph if node.name in named)
    np.testing.assert_array_equal(Session(patched).run({"x": x})["y"], Session(model).run({"x": x})["y"])


def _node(kind: str, name: str, at: int) -> onnx.NodeProto:
    """Return the node at a position; some have no name, and some a name that the pass would generate."""
    value, result = f"v{at}", f"v{at + 1}"
    if kind == "Relu":
        return helper.make_node("Relu", [value], [result], name=name)
    scales = "last" if kind == "last axes" else "square"
    node = helper.make_node("Resize", [value, "", scales], [result], name=name)
    node.attribute.append(helper.make_attribute("mode", "nearest" if kind == "nearest" else "linear"))
    if kind == "antialias":
        node.attribute.append(helper.make_attribute("antialias", 1))
    return node
