"""A model's operators compared with the engine's: all missing ones are named, and no supported one."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnxruntime
import pytest
from onnx.helper import make_node, make_opsetid

from tests import hostile
from tests.models import HEADER, convolution, parsed
from webbuild.errors import WebbuildError
from webbuild.model.operator_support import NEWEST_OPSET, OLDEST_OPSET, check_operators
from webbuild.targets.table import load_table, measured_targets
from webbuild.targets.target import Target

PATH = Path("m.onnx")


@pytest.mark.parametrize("opset", [OLDEST_OPSET, 13, NEWEST_OPSET])
def test_an_opset_of_the_engine_is_taken(opset: int) -> None:
    check_operators(hostile.relu(opset=opset), PATH)


@pytest.mark.parametrize("measured", measured_targets(), ids=str)
def test_the_newest_opset_is_the_last_that_was_measured(measured: Target) -> None:
    kernels = load_table(measured).kernels
    versions = {int(since) for op, by_version in kernels.items() if ":" not in op for since in by_version}
    assert max(versions) == NEWEST_OPSET


def test_native_onnx_runtime_loads_the_newest_opset() -> None:
    onnxruntime.InferenceSession(hostile.relu(opset=NEWEST_OPSET).SerializeToString())


def test_the_model_that_ships_and_operators_of_onnx_runtime_are_known() -> None:
    check_operators(onnx.load(Path(__file__).parents[2] / "models" / "yolo-pose.onnx"), PATH)
    check_operators(convolution(), PATH)
    gelu = hostile.graph(make_node("Gelu", ["x"], ["y"], domain="com.microsoft"), domains=["com.microsoft"])
    check_operators(gelu, PATH)


def test_functions_of_the_model_itself_are_known() -> None:
    text = """<ir_version: 8, opset_import: ["" : 18, "own" : 1]> g (float[2] x) => (float[2] y) { y = own.Twice (x) }
    <domain: "own", opset_import: ["" : 18]> Twice (a) => (b) { b = Add (a, a) }"""
    check_operators(parsed(text), PATH)


def test_operators_inside_a_branch_and_a_function_are_looked_at() -> None:
    text = f"""{HEADER} g (float[2,3] x, bool c) => (float[2,3] y) {{ y = If (c) <
      then_branch = a () => (float[2,3] u) {{ u = Rleu (x) }},
      else_branch = b () => (float[2,3] v) {{ v = Neg (x) }}> }}"""
    model = parsed(text)
    function = onnx.helper.make_function("own", "F", ["a"], ["b"], [make_node("Gleu", ["a"], ["b"])], [])
    model.functions.append(function)
    with pytest.raises(WebbuildError, match=r"Gleu \(1 node\), Rleu \(1 node\)") as caught:
        check_operators(model, PATH)
    assert caught.value.code == "unknown-operators"


def test_a_domain_without_an_import_is_named_too() -> None:
    with pytest.raises(WebbuildError, match=r"my\.ops::Foo"):
        check_operators(hostile.graph(make_node("Foo", ["x"], ["y"], domain="my.ops")), PATH)


def test_a_list_without_end_is_cut(tmp_path: Path) -> None:
    nodes = [make_node(f"Op{index}", ["x"], [f"y{index}"]) for index in range(50)]
    with pytest.raises(WebbuildError, match="and 30 more"):
        check_operators(hostile.graph(*nodes), PATH)


def test_only_the_standard_operators_are_bound_to_the_opset() -> None:
    model = hostile.relu()
    model.opset_import.append(make_opsetid("ai.onnx.ml", 3))
    check_operators(model, PATH)
