"""NMS that stays on the CPU: at most two other nodes run there with it, and the results are the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests import exports
from tests.native import Session
from tests.passes.selections import crowd
from tests.passes.test_selections import EACH, SIZES, feeds_of, model_of
from webbuild.inspection.inspect import inspect
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

TABLE = load_table(Target("1.30.0", "webgpu"))


EXPORTS = [name for name in exports.NAMES if name.endswith("-nms") and "8.3.120" in name and "obb" not in name]
EXPORTS += [name for name in exports.NAMES if name.endswith("8.4.190-torchscript/obb-nms")]


@cache
def patched(form: str, size: str) -> ir.Model:
    model = ir.from_proto(model_of(form, *SIZES[size]))
    return lower(model, PassOptions(nms="keep", table=TABLE), ("webgpu",)).graphs["webgpu"]


@EACH
def test_three_nodes_on_the_cpu_at_most(form: str, size: str) -> None:
    found = inspect("", patched(form, size), TABLE, {})
    on_cpu = [node.operator for node in found.nodes if node.outcome == "cpu"]
    assert "NonMaxSuppression" in on_cpu
    assert len(on_cpu) <= 3, on_cpu


@EACH
@pytest.mark.parametrize("count", [0, 3, 200])
def test_the_answers_are_those_of_the_original(form: str, size: str, count: int) -> None:
    pictures, classes, anchors, most = SIZES[size]
    feeds = feeds_of(form, *crowd(7, pictures, classes, anchors, count), most)
    original, proto = model_of(form, *SIZES[size]), ir.to_proto(patched(form, size))
    onnx.checker.check_model(proto, full_check=True)
    want, got = Session(original).run(feeds), Session(proto).run(feeds)
    assert set(want) == set(got)
    for name, value in want.items():
        assert got[name].dtype == value.dtype
        assert got[name].tolist() == value.tolist()
    assert any(value.any() for value in want.values()) or not count


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_with_suppression_has_three_nodes_on_the_cpu_at_most(name: str) -> None:
    original = exports.restored(name)
    options = PassOptions(nms="keep", table=TABLE, int32_inputs=True)
    graph = lower(ir.from_proto(original), options, ("webgpu",)).graphs["webgpu"]
    on_cpu = [node.operator for node in inspect("", graph, TABLE, {}).nodes if node.outcome == "cpu"]
    assert len(on_cpu) <= 3, on_cpu
    (picture,) = graph.graph.inputs
    size = [int(dim) for dim in picture.shape or () if isinstance(dim, int)]
    for seed in range(2):
        feeds = {str(picture.name): np.random.default_rng(seed).uniform(0, 1, size).astype(np.float32)}
        want, got = Session(original).run(feeds), Session(ir.to_proto(graph)).run(feeds)
        for output, value in want.items():
            assert value.any()
            np.testing.assert_allclose(got[output], value, rtol=0, atol=1e-5 * np.abs(value).max())
