"""Every trap in a branch inside a loop: the passes leave no more of it to the CPU than in the main graph."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from msgspec import Struct

from benchmarks.traps.trap import Trap, load_traps
from tests.native import runner
from tests.passes.subgraphs import in_if_in_loop
from webbuild.inspection.cpu_fallback import apply_cpu_fallback
from webbuild.inspection.inspect import inspect
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.targets.table import KernelTable, load_table
from webbuild.targets.target import Target

RELATIVE = 1e-5
"""Largest difference, relative to an output's largest magnitude: the tolerance of the least exact pass."""
WRAPPING = Counter({"Loop": 1, "If": 1, "Identity": 2})
"""Nodes that the wrapping itself puts on the CPU."""


class Patched(Struct, frozen=True):
    """A graph for WebGPU, its operators that run on the CPU, and the reason why it is disabled, else empty."""

    model: ir.Model
    on_cpu: Counter[str]
    disabled: str


@pytest.mark.parametrize("trap", load_traps(), ids=lambda trap: trap.name)
def test_nothing_of_a_trap_in_a_body_is_missed(trap: Trap) -> None:
    wrapped = in_if_in_loop(_with_shapes(trap))
    inside = _patched(ir.from_proto(wrapped))
    if inside.disabled or inside.on_cpu - WRAPPING:
        outside = _patched(ir.from_proto(trap.model))
        assert inside.disabled == outside.disabled
        assert not inside.on_cpu - WRAPPING - outside.on_cpu
    _compare(trap, ir.from_proto(wrapped), inside.model)


def _compare(trap: Trap, original: ir.Model, patched: ir.Model) -> None:
    feeds = {**trap.feeds, "taken": np.array(True), "trips": np.array(2, np.int64)}
    want, got = (
        runner(model).run({name: feeds[name] for value in model.graph.inputs if (name := value.name or "") in feeds})
        for model in (original, patched)
    )
    for name, value in want.items():
        numbers = value.astype(np.float64)
        limit = RELATIVE * np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
        np.testing.assert_allclose(got[name].reshape(value.shape), value, rtol=0, atol=limit, err_msg=name)


def _patched(model: ir.Model) -> Patched:
    planned = lower(model, PassOptions(table=_table(), nms="keep"), ["webgpu"])
    graph = planned.graphs["webgpu"]
    assert not [rewrite for rewrite in planned.rewrites["webgpu"] if rewrite.code == "pass-failed"]
    disabled = apply_cpu_fallback(graph, _table()).disabled
    on_cpu = Counter(node.operator for node in inspect("", graph, _table(), {}).nodes if node.outcome == "cpu")
    return Patched(graph, on_cpu, "" if disabled is None else disabled.code)


@cache
def _table() -> KernelTable:
    return load_table(Target(engine_version(), "webgpu"))


def _with_shapes(trap: Trap) -> onnx.ModelProto:
    """Return the model of a trap with the shapes of its values, as exporters write them."""
    model = ir.from_proto(trap.model)
    infer_shapes(model)
    proto = ir.to_proto(model)
    del proto.graph.output[:]
    proto.graph.output.extend(trap.model.graph.output)
    return proto
