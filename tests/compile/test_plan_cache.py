"""Cached plans: the same graphs are read back; another model, option or weight has another key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.models import parsed, save
from webbuild.compile import plan_cache, plan_graphs
from webbuild.compile.load_model import load_model
from webbuild.compile.plan_cache import plan_key, read_plan, write_plan
from webbuild.model.load import load_onnx
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.lower import LoweredGraphs, lower
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.reporting.progress import ProgressReporter
from webbuild.runners.content_cache import ContentCache
from webbuild.targets.table import load_table, measured_targets

OPTIONS = PassOptions(dims={"N": 3})

OLDEST, NEWEST = load_table(measured_targets()[0]), load_table(measured_targets()[-1])


class SameFields(msgspec.Struct, frozen=True):
    """Another post-processing type with the fields of GroundingPostprocess."""

    constant_masks: dict[str, tuple[int, ...]] = {}


MAPS = ClassMapsPostprocess(output="y", channels_last=False, classes=3)
OTHERS: dict[str, list[Any]] = {
    "dims": [{"N": 4}, {"M": 3}, {}],
    "missing_postprocess": [MAPS, msgspec.structs.replace(MAPS, threshold=0.25), GroundingPostprocess(), SameFields()],
    "table": [OLDEST, NEWEST, msgspec.structs.replace(NEWEST, cases=NEWEST.cases[1:])],
    "max_binding_size": [1 << 20, 1 << 30],
    "nms": ["shader", "cpu", "keep"],
    "int32_inputs": [True],
    "states": [frozenset("a"), frozenset("ab")],
}
"""Values of each option that differ from OPTIONS."""


def network(factor: float = 1.0) -> ir.Model:
    """Return a network with weights that the passes scale, and one weight that they leave unchanged."""
    helper, from_array = onnx.helper, onnx.numpy_helper.from_array
    weights = {
        "w": np.linspace(-1, 1, 24).reshape(4, 6) * factor,
        "b": np.linspace(0, 1, 6),
        "s": np.full((), 0.5),
        "u": np.linspace(0, 2, 30).reshape(6, 5),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["a"]),
        helper.make_node("Mul", ["a", "s"], ["p"]),
        helper.make_node("MatMul", ["p", "u"], ["y"]),
    ]
    held = [from_array(array.astype(np.float32), name) for name, array in weights.items()]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", 1, ["N", 4])], [value("y", 1, ["N", 5])], held)
    return ir.from_proto(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))


def stored(planned: LoweredGraphs) -> dict[str, bytes]:
    return {
        str(target): ir.to_proto(each).SerializeToString(deterministic=True) for target, each in planned.graphs.items()
    }


def test_a_plan_comes_back_as_it_was(tmp_path: Path) -> None:
    model, cache = network(), ContentCache(tmp_path)
    key = plan_key(model, OPTIONS)
    planned = lower(model, OPTIONS)
    assert key is not None
    assert any(rewrite.code == "fold-scale" for rewrite in planned.rewrites["webgpu"])
    assert read_plan(cache, key, model) is None
    assert write_plan(cache, key, model, planned)
    again = network()
    assert plan_key(again, OPTIONS) == key
    kept = read_plan(cache, key, again)
    assert kept is not None
    assert kept.rewrites == planned.rewrites
    assert stored(kept) == stored(planned)
    weights = kept.graphs["webgpu"].graph.initializers
    assert weights["u"].const_value is again.graph.initializers["u"].const_value


def test_the_key_is_the_same_after_the_passes_have_run() -> None:
    model = network()
    key = plan_key(model, OPTIONS)
    lower(model, OPTIONS)
    assert plan_key(model, OPTIONS) == key


@pytest.mark.parametrize("field", PassOptions.__struct_fields__)
def test_each_option_changes_the_key(field: str) -> None:
    options = [OPTIONS, *(msgspec.structs.replace(OPTIONS, **{field: other}) for other in OTHERS[field])]
    assert len({plan_key(network(), each) for each in options}) == len(options) > 1


def test_options_in_another_order_have_the_same_key() -> None:
    one = PassOptions(dims={"N": 3, "M": 4}, states=frozenset(["a", "b"]))
    other = PassOptions(dims={"M": 4, "N": 3}, states=frozenset(["b", "a"]))
    assert plan_key(network(), one) == plan_key(network(), other)


def test_other_weights_have_another_key() -> None:
    assert plan_key(network(2.0), OPTIONS) != plan_key(network(), OPTIONS)


def test_a_plan_without_one_of_its_weights_is_made_again(tmp_path: Path) -> None:
    model, cache = network(), ContentCache(tmp_path)
    key = plan_key(model, OPTIONS)
    assert key is not None
    write_plan(cache, key, model, lower(model, OPTIONS))
    next(file for file in tmp_path.iterdir() if file.name != key).unlink()
    assert read_plan(cache, key, model) is None


CONSTANT = """<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) {
    k = Constant <value = float[4] {1, 1, 1, 1}> ()
    y = Add (x, k)
}"""
BRANCH = """<ir_version: 8, opset_import: ["" : 17]> g (float[4] x, bool c) => (float[4] y) {
    y = If (c) <
        then_branch = then () => (float[4] a) <float[4] k = {1, 1, 1, 1}> { a = Add (x, k) },
        else_branch = else () => (float[4] b) { b = Neg (x) }
    >
}"""


@pytest.mark.parametrize("text", [CONSTANT, BRANCH])
@pytest.mark.parametrize("external", [False, True])
def test_a_model_with_external_data_in_a_node_has_no_key(tmp_path: Path, text: str, external: bool) -> None:
    proto = parsed(text)
    attribute = proto.graph.node[0].attribute[0]
    tensor = attribute.t if attribute.HasField("t") else attribute.g.initializer[0]
    values = onnx.numpy_helper.to_array(tensor)
    tensor.ClearField("float_data")
    tensor.raw_data = values.tobytes()
    if external:
        (tmp_path / "k.bin").write_bytes(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="k.bin")
    (tmp_path / "model.onnx").write_bytes(proto.SerializeToString())
    model = load_onnx(tmp_path / "model.onnx").model
    assert (plan_key(model, OPTIONS) is None) == external


def test_a_plan_with_external_data_in_a_node_is_not_kept(tmp_path: Path) -> None:
    planned = lower(ir.from_proto(parsed(BRANCH)), OPTIONS)
    branch = planned.graphs["wasm"].graph[0].attributes["then_branch"].as_graph()
    branch.initializers["k"].const_value = ir.ExternalTensor(
        "k.bin", 0, 16, ir.DataType.FLOAT, shape=ir.Shape([4]), name="k", base_dir=tmp_path
    )
    assert not write_plan(ContentCache(tmp_path), "key", network(), planned)
    assert list(tmp_path.iterdir()) == []


def test_a_model_with_strings_as_weights_has_no_key() -> None:
    model = network()
    strings = ir.StringTensor(np.array([b"a", b"bb"]), name="labels")
    model.graph.register_initializer(ir.Value(name="labels", const_value=strings))
    assert plan_key(model, OPTIONS) is None


STRINGS = """<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) <string[2] s = {"a", "bb"}> {
    y = Relu (x)
}"""


def test_a_model_without_a_key_is_planned_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = save(parsed(STRINGS), tmp_path / "model.onnx"), ContentCache(tmp_path / "cache")
    loaded = load_model(path, {}, ProgressReporter(quiet=True), cache=cache)
    planned: list[PassOptions] = []

    def noting(source: ir.Model, options: PassOptions) -> LoweredGraphs:
        planned.append(options)
        return lower(source, options)

    monkeypatch.setattr(plan_graphs, "lower", noting)
    target = measured_targets()[-1]
    for count in (1, 2):
        plan_graphs.plan_graphs(loaded, target, None, "keep", int32_inputs=False)
        assert len(planned) == count
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("room", [500, 2000, 10_000, 1 << 20])
def test_a_plan_is_kept_whole_or_not_at_all(tmp_path: Path, room: int) -> None:
    model, cache = network(), ContentCache(tmp_path, max_bytes=room)
    planned = lower(model, OPTIONS)
    cache.write("proof", bytes(16))
    kept = write_plan(cache, "key", model, planned)
    assert kept == (room == 1 << 20)
    assert (read_plan(cache, "key", model) is not None) == kept
    assert cache.read("proof") == bytes(16)
    assert kept or [file.name for file in tmp_path.iterdir()] == ["proof"]


def test_weights_without_room_are_not_serialized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = network()
    planned = lower(model, OPTIONS)
    monkeypatch.delattr(plan_cache, "tensor_bytes")
    assert not write_plan(ContentCache(tmp_path, max_bytes=100), "key", model, planned)


@pytest.mark.parametrize("target", ["webgpu", "wasm"])
def test_a_plan_that_lacks_a_pass_is_not_kept(tmp_path: Path, target: Any) -> None:
    model = network()
    planned = lower(model, OPTIONS).with_rewrites(target, [Rewrite("pass-failed", "fuse-gelu", False, "")])
    assert not write_plan(ContentCache(tmp_path), "key", model, planned)
    assert list(tmp_path.iterdir()) == []
