"""A suppression that stays on the CPU: at most two other nodes are there with it, and the answers are the same."""

from __future__ import annotations

from functools import cache

import onnx
import onnx_ir as ir
import pytest

from tests.native import Session
from tests.passes.selections import crowd
from tests.passes.test_selections import EACH, SIZES, feeds_of, model_of
from webbuild.inspection.inspect import inspect
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

TABLE = load_table(Target("1.30.0", "webgpu"))


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
