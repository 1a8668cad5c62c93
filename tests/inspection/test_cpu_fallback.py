"""What no pass fixes runs on the CPU by name, or the graph is not shipped: results on the GPU are never wrong."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from tests.models import parsed
from webbuild.errors import WebbuildError
from webbuild.inspection.cpu_fallback import apply_cpu_fallback, check_wasm_session
from webbuild.inspection.inspect import inspect
from webbuild.inspection.required_features import required_features
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

NATIVE = Target("1.30.0", "webgpu")
WRONG = "(float[3,4] x) => (float[3,4] y) { h = Exp (x) y = ReduceSumSquare <noop_with_empty_axes = 1> (h) }"
RIGHT = "(float[3,4] x) => (float[3,4] y) { h = Exp (x) y = Mul (h, h) }"
NO_KERNEL = "(float[3] x) => (float[3] y) { h = Cast <to = 5> (x) y = Cast <to = 1> (h) }"
NESTED = """(bool c, float[3,4] x) => (float[3,4] y) {
    y = If (c) <then_branch = t () => (float[3,4] a) { a = ReduceSumSquare <noop_with_empty_axes = 1> (x) },
                else_branch = e () => (float[3,4] b) { b = Exp (x) }>
}"""
FED = "(float[3,4] x) => (float[3,4] y) { a = Sin (x) b = Exp (a) y = Sin (b) }"
HALF = "(float[3] x) => (float[3] y) { h = Cast <to = 10> (x) y = Cast <to = 1> (h) }"
HALF_CONSTANT = "(float[3] x) => (float[3] y) { h = Constant <value = float16[1] {1}> () y = CastLike (h, x) }"

HALF_WEIGHT = "(float[3] x) => (float[3] y) <float16[1] h = {1}> { w = Cast <to = 1> (h) y = Add (x, w) }"


def model(text: str) -> ir.Model:
    return ir.from_proto(parsed(f'<ir_version: 10, opset_import: ["" : 18]> g {text}'))


def test_a_node_that_would_be_wrong_is_left_to_the_cpu_and_the_graph_is_shipped() -> None:
    graph = model(WRONG)
    kept = apply_cpu_fallback(graph, load_table(NATIVE))
    assert [rewrite.code for rewrite in kept.rewrites] == ["cpu-fallback"]
    assert kept.disabled is None
    assert cpu_node_names(graph) == [node.name for node in graph.graph if node.op_type == "ReduceSumSquare"]
    assert inspect("", graph, load_table(NATIVE), {}).count("error") == 0
    assert kept.inspection == inspect("", graph, load_table(NATIVE), {})
    assert apply_cpu_fallback(graph, load_table(NATIVE)).rewrites == ()


def test_so_is_one_in_a_nested_graph() -> None:
    graph = model(NESTED)
    assert len(apply_cpu_fallback(graph, load_table(NATIVE)).rewrites) == 1
    inner = next(iter(graph.graph)).attributes["then_branch"].as_graph()
    assert cpu_node_names(graph) == [node.name for node in inner]


def test_nothing_is_named_where_nothing_is_wrong() -> None:
    graph = model(RIGHT)
    kept = apply_cpu_fallback(graph, load_table(NATIVE))
    assert (kept.rewrites, kept.disabled) == ((), None)
    assert kept.inspection == inspect("", graph, load_table(NATIVE), {})
    assert cpu_node_names(graph) == []


def test_a_graph_without_a_session_is_disabled_with_a_reason() -> None:
    disabled = apply_cpu_fallback(model(NO_KERNEL), load_table(NATIVE)).disabled
    assert disabled is not None
    assert (disabled.target, disabled.code) == ("webgpu", "unimplemented-dtype")
    assert "no session can be created" in disabled.reason


def test_the_first_step_of_a_small_input_is_the_cpus_where_the_gpu_promises_nothing() -> None:
    small, picture = model(FED), model(FED.replace("3,4", "1,3,512,512"))
    assert len(apply_cpu_fallback(small, load_table(NATIVE)).rewrites) == 1
    assert cpu_node_names(small) == [node.name for node in small.graph if node.op_type == "Sin"][:1]
    assert apply_cpu_fallback(picture, load_table(NATIVE)).rewrites == ()


def test_float16_needs_an_adapter_that_has_it() -> None:
    assert required_features(model(HALF)) == required_features(model(HALF_CONSTANT)) == ["shader-f16"]
    assert required_features(model(RIGHT)) == required_features(model(HALF_WEIGHT)) == []


def test_a_model_that_wasm_cannot_run_either_is_refused() -> None:
    graph = model("(float[3] x) => (float[3] y) { h = Cast <to = 16> (x) y = Cast <to = 1> (h) }")
    disabled = apply_cpu_fallback(graph, load_table(NATIVE)).disabled
    assert disabled is not None
    with pytest.raises(WebbuildError, match=r"on webgpu, Cast .* on WASM, no kernel") as caught:
        check_wasm_session(graph, load_table(Target("1.30.0", "wasm")), disabled)
    assert caught.value.code == "no-compatible-build"
