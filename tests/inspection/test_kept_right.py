"""What no pass mends is left to the CPU by name, or the graph is not shipped: it is never wrong on the GPU."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from tests.models import parsed
from webbuild.inspection.features import features
from webbuild.inspection.inspect import inspect
from webbuild.inspection.kept_right import keep_right, unfit
from webbuild.passes.force_cpu import cpu_nodes
from webbuild.targets.table import table
from webbuild.targets.target import Target

NATIVE, JSEP = Target("1.30.0", "webgpu"), Target("1.30.0", "jsep")
WRONG = "(float[3,4] x) => (float[3,4] y) { h = Exp (x) y = ReduceSumSquare <noop_with_empty_axes = 1> (h) }"
RIGHT = "(float[3,4] x) => (float[3,4] y) { h = Exp (x) y = Mul (h, h) }"
NO_KERNEL = "(float[3] x) => (float[3] y) { h = Cast <to = 5> (x) y = Cast <to = 1> (h) }"
JSEP_ALONE = "(float[3,4] x) => (float[3,4] y) <int64 a = {0}> { y = CumSum <reverse = 1> (x, a) }"
NESTED = """(bool c, float[3,4] x) => (float[3,4] y) {
    y = If (c) <then_branch = t () => (float[3,4] a) { a = ReduceSumSquare <noop_with_empty_axes = 1> (x) },
                else_branch = e () => (float[3,4] b) { b = Exp (x) }>
}"""
FED = "(float[3,4] x) => (float[3,4] y) { a = Sin (x) b = Exp (a) y = Sin (b) }"
HALF = "(float[3] x) => (float[3] y) { h = Cast <to = 10> (x) y = Cast <to = 1> (h) }"
HALF_CONSTANT = "(float[3] x) => (float[3] y) { h = Constant <value = float16[1] {1}> () y = CastLike (h, x) }"


def model(text: str) -> ir.Model:
    return ir.from_proto(parsed(f'<ir_version: 10, opset_import: ["" : 18]> g {text}'))


def test_a_node_that_would_be_wrong_is_left_to_the_cpu_and_the_graph_is_shipped() -> None:
    graph = model(WRONG)
    kept = keep_right(graph, table(NATIVE))
    assert [edit.code for edit in kept.edits] == ["force-cpu"]
    assert kept.withheld is None
    assert cpu_nodes(graph) == [node.name for node in graph.graph if node.op_type == "ReduceSumSquare"]
    assert inspect("", graph, table(NATIVE), {}).count("error") == 0
    assert keep_right(graph, table(NATIVE)).edits == ()


def test_so_is_one_in_a_nested_graph() -> None:
    graph = model(NESTED)
    assert len(keep_right(graph, table(NATIVE)).edits) == 1
    inner = next(iter(graph.graph)).attributes["then_branch"].as_graph()
    assert cpu_nodes(graph) == [node.name for node in inner]


def test_nothing_is_named_where_nothing_is_wrong() -> None:
    graph = model(RIGHT)
    assert keep_right(graph, table(NATIVE)) == keep_right(graph, table(JSEP))
    assert (cpu_nodes(graph), unfit(graph, table(JSEP))) == ([], None)


def test_a_graph_without_a_session_is_withheld_and_says_why() -> None:
    withheld = keep_right(model(NO_KERNEL), table(NATIVE)).withheld
    assert withheld is not None
    assert (withheld.build, withheld.code) == ("webgpu", "no-kernel")
    assert "no session can be created" in withheld.why


def test_jsep_takes_no_names_so_what_it_gets_wrong_is_withheld() -> None:
    graph = model(JSEP_ALONE)
    assert keep_right(graph, table(NATIVE)).withheld is None
    withheld = keep_right(graph, table(JSEP)).withheld
    assert withheld == unfit(graph, table(JSEP))
    assert withheld is not None
    assert (withheld.build, withheld.code) == ("jsep", "jsep-cumsum-reverse")


def test_what_is_left_to_the_cpu_since_jsep_has_it_wrong_too_cannot_run_there() -> None:
    graph = model(WRONG)
    keep_right(graph, table(NATIVE))
    withheld = unfit(graph, table(JSEP))
    assert withheld is not None
    assert withheld.code == "reduction-of-no-axes"


def test_the_first_step_of_a_small_input_is_the_cpus_where_the_gpu_promises_nothing() -> None:
    small, picture = model(FED), model(FED.replace("3,4", "1,3,512,512"))
    assert len(keep_right(small, table(NATIVE)).edits) == 1
    assert cpu_nodes(small) == [node.name for node in small.graph if node.op_type == "Sin"][:1]
    assert keep_right(picture, table(NATIVE)).edits == ()


@pytest.mark.parametrize(
    ("first", "code"),
    [("Sin (x)", "far-from-zero"), ("Softmax (x)", "masked-row"), ("Clip (x)", "nan-dropped")],
)
def test_on_jsep_the_first_step_of_a_small_input_sends_the_model_to_wasm(first: str, code: str) -> None:
    text = f"(float[3,4] x) => (float[3,4] y) {{ a = {first} y = Neg (a) }}"
    withheld = keep_right(model(text), table(JSEP)).withheld
    assert withheld is not None
    assert withheld.code == code


@pytest.mark.parametrize("step", ["Sin (a)", "Softmax (a)", "Clip (a)"])
def test_a_later_step_does_not_since_only_the_numbers_of_a_run_can_tell(step: str) -> None:
    assert unfit(model(f"(float[3,4] x) => (float[3,4] y) {{ a = Sqrt (x) y = {step} }}"), table(JSEP)) is None
    picture = f"(float[1,3,512,512] a) => (float[1,3,512,512] y) {{ y = {step} }}"
    assert unfit(model(picture), table(JSEP)) is None


def test_float16_needs_an_adapter_that_has_it() -> None:
    assert features(model(HALF)) == features(model(HALF_CONSTANT)) == ["shader-f16"]
    assert features(model(RIGHT)) == []
