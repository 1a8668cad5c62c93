"""The memory of a model: its weights, wherever an exporter stores them, and the peak of live tensors."""

from __future__ import annotations

import pytest

from tests.models import as_ir
from webbuild.inspection.dry_run import with_fixes
from webbuild.inspection.inspect import inspect
from webbuild.inspection.text import summary
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

WEBGPU = load_table(Target("1.30.0", "webgpu"))


@pytest.mark.parametrize(
    "graph",
    [
        "<float[4] w = {1, 2, 3, 4}> { y = Add (x, w) }",
        "{ w = Constant <value = float[4] {1, 2, 3, 4}> () y = Add (x, w) }",
    ],
    ids=["initializer", "constant node"],
)
def test_a_weight_is_counted_as_an_initializer_and_as_a_node(graph: str) -> None:
    text = f'<ir_version: 8, opset_import: ["" : 17]> g (float[2,4] x) => (float[2,4] y) {graph}'
    found = inspect("model", as_ir(text), WEBGPU, {})
    assert found.memory.weights == 16
    assert found.fp16 is not None
    assert found.fp16.weight_bytes == 16
    assert "memory: 16 B of weights, 64 B of other tensors" in "\n".join(summary(found))


def test_the_peak_is_the_node_at_which_most_tensors_live() -> None:
    found = inspect(
        "model",
        as_ir(
            """<ir_version: 8, opset_import: ["" : 17]> g (float[1,1,8,8] x, float[4,1,1,1] w) => (float[1,4,1,1] y)
            <float[4] k = {1, 2, 3, 4}, int64[4] shape = {1, 4, 64, 1}> {
            a = Relu (x)
            b = Conv (a, w, k)
            c = Reshape (b, shape)
            d = Sigmoid (c)
            y = ReduceMax <axes = [2]> (d)
            }"""
        ),
        WEBGPU,
        {},
    )
    peak = found.memory.gpu
    assert peak is not None
    # x, w and d, with c, which shares b's buffer; a is freed, and `shape` is read on the CPU
    assert (peak.where, peak.weights) == ("Sigmoid 'd'", 16)
    assert [(each.name, each.size) for each in peak.largest] == [("b", 1024), ("d", 1024), ("x", 256)]
    assert peak.tensors == 1024 + 1024 + 256 + 16
    assert "at most 2.3 kB on the GPU, at Sigmoid 'd'" in "\n".join(summary(found))


def test_a_value_lives_to_the_end_where_another_shape_of_it_is_an_output() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[64] x) => (float[8,8] out, float[64] y)
        <int64[2] shape = {8, 8}> { r = Relu (x) out = Reshape (r, shape) a = Sigmoid (r) b = Tanh (a) y = Relu (b) }"""
    peak = inspect("model", as_ir(text), WEBGPU, {}).memory.gpu
    assert peak is not None
    assert peak.tensors == 4 * 256  # x and r, and what a node reads and writes


def test_what_runs_on_the_cpu_takes_no_memory_of_the_gpu() -> None:
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[64] x) => (float[64] y) { a = Round (x) y = Relu (a) }'
    peak = inspect("model", as_ir(text), WEBGPU, {}).memory.gpu
    assert peak is not None
    assert (peak.where, peak.tensors) == ("Relu 'y'", 512)
    alone = '<ir_version: 8, opset_import: ["" : 17]> g (float[64] x) => (float[64] y) { y = Round (x) }'
    assert inspect("model", as_ir(alone), WEBGPU, {}).memory.gpu is None


def test_sizes_that_the_graph_computes_are_known() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[4,16] x) => (float[rows, columns] y)
        <int64[1] first = {0}, int64[1] rest = {-1}> {
        shape = Shape (x) n = Gather (shape, first) m = Concat <axis = 0> (n, rest) a = Relu (x)
        b = Reshape (a, m) y = Sigmoid (b) }"""
    peak = inspect("model", as_ir(text), WEBGPU, {}).memory.gpu
    assert peak is not None
    assert peak.tensors == 3 * 256


def test_the_peak_after_the_passes_is_told_where_the_model_needs_too_much() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
        g (float[1,8,4096,64] q, float[1,8,64,4096] k, float[1,8,4096,64] v) => (float[1,8,4096,64] y) {
        scores = MatMul (q, k) shares = Softmax <axis = -1> (scores) y = MatMul (shares, v) }"""
    model = as_ir(text)
    found = with_fixes(inspect("model", model, WEBGPU, {}), model, WEBGPU, {})
    (finding,) = [each for each in found.findings if each.code == "gpu-memory"]
    assert (finding.where, finding.summary) == ("Softmax 'shares'", "needs 1.10 GB on the GPU")
    assert finding.fixed_by == ("tile-attention",)
    assert found.packed_peak is not None
    assert found.packed_peak.total < 300_000_000
    assert "at most 1.10 GB on the GPU (" in "\n".join(summary(found))
