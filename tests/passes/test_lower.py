"""The pass pipeline: passes in order, until nothing changes; the order of independent passes does not matter."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.exports import NAMES as EXPORTS
from tests.exports import restored
from tests.models import HEADER
from tests.native import Session
from tests.passes.case import all_cases, text
from tests.passes.heads import FILES, NAMES, head
from webbuild.manifest.manifest import TargetName
from webbuild.passes import lower as planning
from webbuild.passes.base import CHECK, Pass, PassOptions, Rewrite
from webbuild.passes.lower import TARGETS, lower
from webbuild.passes.registry import all_passes
from webbuild.passes.simplify.canonicalize import Canonicalize
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

MIXED = f"""{HEADER}
mixed (float[n,4,3] x) => (float[a,b] y, float[1,4] z)
<int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] rest = {{-1}}, int64[6] none = {{0,0,0,0,0,0}},
 double half = {{0.5}}, float[1,4,3] base = {{0,0,0,0,0,0,0,0,0,0,0,0}}, int64[1,1] first = {{0}}>
{{
  same = Identity (x)
  wide = Cast <to = 11> (same)
  halved = Mul (wide, half)
  back = Cast <to = 1> (halved)
  padded = Pad (back, none)
  set = ScatterND (base, first, padded)
  shape = Shape (set)
  batch = Slice (shape, zero, one)
  target = Concat <axis = 0> (batch, rest)
  y = Reshape (set, target)
  best = ArgMax <axis = 2, keepdims = 0> (x)
  z = Cast <to = 1> (best)
}}
"""


def orders(count: int) -> Iterator[Sequence[type[Pass]]]:
    """Yield random orders of all passes in which each pass comes after the ones in its `after`."""
    kinds = all_passes()
    for seed in range(count):
        draw, left, order = random.Random(seed), list(kinds), list[type[Pass]]()
        while left:
            done = {kind.code for kind in order}
            ready = [kind for kind in left if set(kind.after) <= done]
            order.append(ready[draw.randrange(len(ready))])
            left.remove(order[-1])
        yield order


def shape_of_graph(model: ir.Model) -> list[str]:
    """Return a description of a graph without value names: each node with the nodes it reads."""
    described: dict[int, str] = {id(value): f"input {value.name}" for value in model.graph.inputs}
    for value in model.graph.initializers.values():
        assert value.const_value is not None
        described[id(value)] = f"{value.dtype} {value.shape} {hash(value.const_value.tobytes())}"
    for node in model.graph:
        reads = [described.get(id(value), "nothing") for value in node.inputs]
        attributes = sorted(f"{a.name}={a.value}" for a in node.attributes.values())
        for index, value in enumerate(node.outputs):
            described[id(value)] = str(hash((node.op_type, tuple(reads), tuple(attributes), index, str(value.shape))))
    return [f"{value.name} {described[id(value)]}" for value in model.graph.outputs]


def test_passes_are_found_each_after_those_it_names() -> None:
    codes = [kind.code for kind in all_passes()]
    assert len(codes) == len(set(codes))
    assert {"canonicalize", "fold-constants", "static-nms", "eliminate-no-ops"} <= set(codes)
    for kind in all_passes():
        assert set(kind.after) <= set(codes[: codes.index(kind.code)])
        assert kind.target in (None, *TARGETS)


@pytest.mark.parametrize("kind", all_passes(), ids=lambda kind: kind.code)
def test_a_pass_explains_itself(kind: type[Pass]) -> None:
    assert kind.__doc__
    assert kind.__doc__.splitlines()[0].endswith(".")
    assert kind.code == kind.code.lower()
    assert kind.__module__.rpartition(".")[2].replace("_", "-") == kind.code


def test_every_kind_of_edit_happens_in_a_mixed_graph() -> None:
    planned = lower(ir.from_onnx_text(MIXED), PassOptions(dims={"x:0": 1}))
    done = {rewrite.code for rewrite in planned.rewrites["webgpu"] if rewrite.applied}
    assert done == {
        *("canonicalize", "fix-dynamic-dims", "fold-constants", "float64-to-float32"),
        *("eliminate-no-ops", "redundant-scatter", "argmax-int32"),
    }
    assert [value.shape for value in planned.graphs["webgpu"].graph.outputs] == [ir.Shape([1, 12]), ir.Shape([1, 4])]
    assert [node.op_type for node in planned.graphs["wasm"].graph] == ["Mul", "Reshape", "ArgMax", "Cast"]


CHANGED = {case.kind.code: case for case in reversed(all_cases()) if not case.keep}


@pytest.mark.parametrize("code", CHANGED)
def test_a_pass_that_raises_is_left_out_and_reported(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CHANGED[code]
    apply = case.kind.apply

    def broken(self: Pass, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        apply(self, model, options)  # its changes so far must be undone
        node = next(iter(model.graph), None)
        raise ValueError(f"broken at {node and node.op_type}")

    monkeypatch.setattr(case.kind, "apply", broken)
    planned = lower(case.load(), case.options)
    for target in TARGETS:
        if case.kind.runs_on(None, case.options) or case.kind.runs_on(target, case.options):
            failed = [rewrite for rewrite in planned.rewrites[target] if rewrite.code == "pass-failed"]
            assert [rewrite.location.partition(",")[0] for rewrite in failed] == [code]
            assert "ValueError: broken at" in failed[0].reason
        assert not [rewrite for rewrite in planned.rewrites[target] if rewrite.code == code]
        onnx.checker.check_model(ir.to_proto(planned.graphs[target]))


def test_a_failure_names_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Pass, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        node = next(each for each in model.graph if each.op_type == "ScatterND")
        raise KeyError(node.name)

    monkeypatch.setattr(Canonicalize, "apply", broken)
    failed = [
        rewrite
        for rewrite in lower(ir.from_onnx_text(MIXED), PassOptions()).rewrites["wasm"]
        if rewrite.code == "pass-failed"
    ]
    assert [rewrite.location for rewrite in failed] == ["canonicalize, at ScatterND ''"]


def test_too_little_memory_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def starved(self: Pass, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        raise MemoryError("1 GiB")

    monkeypatch.setattr(Canonicalize, "apply", starved)
    rewrites = lower(ir.from_onnx_text(MIXED), PassOptions()).rewrites["wasm"]
    failed = next(rewrite for rewrite in rewrites if rewrite.code == "pass-failed")
    assert failed.reason == "the machine has too little memory: MemoryError: 1 GiB"


def test_an_invalid_model_is_the_failure_of_its_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Pass, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        node = next(iter(model.graph))
        node.op_type = "NoSuchOperator"
        return [self.applied("here", "wrong")]

    monkeypatch.setattr(Canonicalize, "apply", broken)
    rewrites = lower(ir.from_onnx_text(MIXED), PassOptions()).rewrites["wasm"]
    assert [rewrite.location for rewrite in rewrites if rewrite.code == "pass-failed"] == ["canonicalize"]
    assert "NoSuchOperator" in next(rewrite.reason for rewrite in rewrites if rewrite.code == "pass-failed")


def test_a_pass_that_leaves_a_reader_of_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def remove(_: Canonicalize, model: ir.Model) -> list[Rewrite]:
        gone = next(node for node in model.graph if node.op_type == "Identity")
        model.graph.remove(gone, safe=False)
        return [Rewrite("canonicalize", "", True, "")]

    monkeypatch.delenv(CHECK)
    monkeypatch.setattr(Canonicalize, "apply_to_each_graph", remove)
    rewrites = lower(ir.from_onnx_text(MIXED), PassOptions()).rewrites["webgpu"]
    failed = next(rewrite for rewrite in rewrites if rewrite.code == "pass-failed")
    assert "reads an output of a removed node" in failed.reason


def test_the_model_given_stays_as_it_is() -> None:
    model = ir.from_onnx_text(FILES[0].read_text("utf-8"))
    before = text(model)
    lower(model, PassOptions())
    assert text(model) == before


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_planning_a_planned_graph_changes_nothing(name: str, target: TargetName) -> None:
    model = head(name).plan.graphs[target]
    for kind in all_passes():
        if kind.target in (None, target):
            again = model.clone()
            assert not [rewrite for rewrite in kind().apply(again, PassOptions()) if rewrite.applied]
            assert text(again) == text(model)


@pytest.mark.parametrize("source", [MIXED, *(file.read_text("utf-8") for file in FILES)], ids=["mixed", *NAMES])
def test_independent_passes_give_the_same_graph_in_any_order(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[TargetName, list[list[str]]] = {target: [] for target in TARGETS}
    for order in orders(4):
        monkeypatch.setattr(planning, "all_passes", lambda order=order: order)
        planned = lower(ir.from_onnx_text(source), PassOptions(dims={"x:0": 1}))
        for target, model in planned.graphs.items():
            seen[target].append(shape_of_graph(model))
    for graphs in seen.values():
        assert all(first == second for first, second in itertools.pairwise(graphs))


@pytest.mark.parametrize("name", [name for name in EXPORTS if "obb-nms" in name or "dynamo/detect-nms" in name])
def test_suppression_in_an_export_leaves_no_free_size_and_no_int64_on_the_gpu(name: str) -> None:
    planned = lower(ir.from_proto(restored(name)), PassOptions(dims={"batch": 1, "height": 64, "width": 64}))
    for target in TARGETS:
        assert not [rewrite for rewrite in planned.rewrites[target] if not rewrite.applied]
        for value in planned.graphs[target].graph.outputs:
            assert value.shape is not None
            assert all(isinstance(dim, int) for dim in value.shape)
    for node in planned.graphs["webgpu"].graph:
        assert node.op_type == "TopK" or all(value.dtype != ir.DataType.INT64 for value in node.outputs), node


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_refused_in_the_end(name: str) -> None:
    for rewrites in head(name).plan.rewrites.values():
        assert not [rewrite for rewrite in rewrites if not rewrite.applied]


def test_an_input_that_is_cast_is_int32_in_every_graph_of_a_bundle_and_nowhere_else() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[1,4] x, int64[1,4] mask) => (float[1,4] y, int64[1,4] z)
    { m = Cast <to = 1> (mask) y = Mul (x, m) small = Cast <to = 6> (x) z = Cast <to = 7> (small) }"""
    model, table = ir.from_onnx_text(text), load_table(Target("1.30.0", "webgpu"))
    alone, bundled = (
        list(lower(model, PassOptions(table=table, int32_inputs=allowed)).graphs.values()) for allowed in (False, True)
    )
    assert [graph.graph.inputs[1].dtype for graph in alone] == [ir.DataType.INT64] * 2
    assert [graph.graph.inputs[1].dtype for graph in bundled] == [ir.DataType.INT32] * 2
    feeds = {"x": np.array([[1, 2, 3, 4]], np.float32), "mask": np.array([[1, 0, 1, 0]], np.int32)}
    for graph in bundled:
        assert Session(graph).run(feeds)["y"].tolist() == [[1, 0, 3, 0]]
