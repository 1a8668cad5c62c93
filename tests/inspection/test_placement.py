"""The placement of nodes, and the copies between devices."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest

from tests.exports import NAMES, restored
from tests.inspection.case import all_cases
from tests.models import as_ir
from webbuild.inspection.all_on_gpu import all_on_gpu
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection, exit_code
from webbuild.model.read_signature import read_signature
from webbuild.targets.table import KernelPlacements, KernelTable, load_table
from webbuild.targets.target import Target
from webbuild.tasks.options.symbolic_dims import resolve_dims

TABLE = load_table(Target("1.30.0", "webgpu"))
HEADER = '<ir_version: 8, opset_import: ["" : 17]>'


def inspected(text: str, known: KernelTable = TABLE, **dims: int) -> Inspection:
    return inspect("model", as_ir(f"{HEADER} {text}"), known, dims)


def places(inspection: Inspection) -> dict[str, str]:
    return {node.operator: node.placement for node in inspection.nodes}


def test_a_node_without_a_kernel_makes_a_partition_of_itself_alone() -> None:
    found = inspected("g (float[4] x) => (float[4] y) { a = Relu (x) b = Round (a) y = Sigmoid (b) }")
    assert places(found) == {"Relu": "gpu", "Round": "cpu", "Sigmoid": "gpu"}
    assert [(copy.tensor, copy.destination, copy.size) for copy in found.transfers] == [
        ("a", "cpu", 16),
        ("b", "gpu", 16),
    ]
    assert [(partition.nodes, partition.transfer_bytes) for partition in found.partitions] == [((1,), 32)]


def test_nodes_that_feed_one_another_are_one_partition_and_a_tensor_is_copied_once() -> None:
    text = """g (float[4] x) => (float[4] y) {
      a = Relu (x) b = Round (a) c = Sign (b) d = Sign (a) e = Round (d) f = Add (b, c) y = Add (f, e) }"""
    found = inspected(text)
    assert sorted(partition.nodes for partition in found.partitions) == [(1, 2), (3, 4)]
    assert sorted((copy.tensor, copy.destination) for copy in found.transfers) == [
        ("a", "cpu"), ("b", "gpu"), ("c", "gpu"), ("e", "gpu"),
    ]  # fmt: skip


def test_an_input_that_both_read_is_copied_and_one_that_only_the_gpu_reads_is_not() -> None:
    found = inspected("g (float[4] x, float[4] z) => (float[4] y) { a = Round (x) b = Add (a, x) y = Add (b, z) }")
    assert sorted((copy.tensor, copy.destination) for copy in found.transfers) == [("a", "gpu"), ("x", "gpu")]


def test_what_a_gpu_kernel_reads_on_the_cpu_is_not_copied_there_from_the_cpu() -> None:
    text = """g (float[2,8] x, int64[2] s) => (float[N,M] y) <int64[2] one = {1, 1}> {
      a = Relu (x) t = Mul (s, one) y = Reshape (a, t) }"""
    found = inspected(text)
    assert places(found) == {"Relu": "gpu", "Mul": "cpu", "Reshape": "gpu"}
    assert not found.transfers


def test_sizes_that_are_known_leave_nothing_behind() -> None:
    text = "g (float[N,4] x) => (float[2] y) { s = Shape (x) y = Cast <to = 1> (s) }"
    assert places(inspected(text, N=2)) == {"Shape": "folded", "Cast": "folded"}
    assert places(inspected(text)) == {"Shape": "gpu", "Cast": "cpu"}


def test_what_has_no_kernel_is_not_folded_either() -> None:
    found = inspected("g (float[4] x) => (float[4] y) <double d = {2}> { e = Cast <to = 1> (d) y = Mul (x, e) }")
    assert places(found) == {"Cast": "none", "Mul": "gpu"}
    assert [finding.code for finding in found.findings] == ["unimplemented-dtype"]
    assert exit_code(found) == 1
    assert found.verdict() == "no session can be created"


def test_nested_graphs_are_placed_too() -> None:
    text = """g (float[4] x, bool c) => (float[4] y) {
      r = Relu (x)
      y = If (c) <then_branch = t () => (float[4] a) { q = Round (r) a = Sigmoid (q) },
                  else_branch = e () => (float[4] b) { b = Tanh (r) }> }"""
    found = inspected(text)
    assert places(found) == {"Relu": "gpu", "If": "gpu", "Round": "cpu", "Sigmoid": "gpu", "Tanh": "gpu"}
    inner = next(node for node in found.nodes if node.operator == "Round")
    assert inner.scopes == ("If 'y' then_branch",)
    assert sorted((copy.tensor, copy.implicit) for copy in found.transfers) == [("q", False), ("r", True)]


def test_a_node_that_only_reads_sizes_follows_them_unless_its_kernel_reads_them_on_the_cpu() -> None:
    kernels: KernelPlacements = {**TABLE.kernels, "Mul": {"14": {"gpu": ["int64"]}}}
    pulling = KernelTable(target=TABLE.target, measured="", adapter="", browser="", kernels=kernels)
    text = """g (float[N,4] x, float[M] z) => (float[P,Q] y) <int64[2] k = {1, 1}> {
      s = Shape (x) t = Mul (s, k) y = Reshape (z, t) }"""
    found = inspected(text, pulling)
    assert places(found) == {"Shape": "gpu", "Mul": "cpu", "Reshape": "gpu"}
    assert [finding.code for finding in found.findings if finding.where == "Mul 't'"] == ["shape-subgraph-on-cpu"]
    large = text.replace("int64[2] k = {1, 1}", "int64[101,2] k = {" + ", ".join(["1"] * 202) + "}")
    assert places(inspected(large, pulling))["Mul"] == "gpu"


@pytest.mark.parametrize(("version", "wrong"), [("1.29.0", True), ("1.30.0", False)])
def test_a_bug_that_was_fixed_is_found_in_older_engines_only(version: str, wrong: bool) -> None:
    older = KernelTable(target=Target(version, "webgpu"), measured="", adapter="", browser="", kernels=TABLE.kernels)
    text = """g (float[1,4,6,6] x, float[6,4,1,1] w, float[6] b) => (float[1,6,6,6] y) { y = Conv (x, w, b) }"""
    codes = [finding.code for finding in inspected(text, older).findings]
    assert ("small-pointwise-conv-bias" in codes) is wrong


@pytest.mark.parametrize("name", NAMES)
def test_every_node_of_an_export_has_a_place(name: str) -> None:
    model = ir.from_proto(restored(name))
    sizes = resolve_dims(read_signature(Path(name).name, model), {})
    found = inspect(name, model, TABLE, sizes.dims)
    assert len(found.nodes) >= model.graph.num_nodes()
    assert not [node for node in found.nodes if node.placement == "none"]
    on_gpu = sum(node.placement == "gpu" for node in found.nodes if node.operator == "Conv")
    assert on_gpu == sum(node.op_type == "Conv" for node in model.graph) > 0
    alone = {"classify", "detect-raw", "obb-raw", "pose-raw", "segment-raw"}
    if Path(name).name.removesuffix("-dynamic") in alone:
        assert not found.transfers
        assert exit_code(found) == 0
    if "nms" in name:
        assert any(node.operator == "NonMaxSuppression" and node.placement == "cpu" for node in found.nodes) or any(
            finding.code == "dynamic-output-shape" for finding in found.findings
        )


def test_the_model_that_is_inspected_stays_as_it_is() -> None:
    for case in all_cases()[:20]:
        model = ir.from_proto(case.proto())
        before = ir.to_proto(model).SerializeToString()
        inspect("model", model, TABLE, case.dims)
        assert ir.to_proto(model).SerializeToString() == before


def test_where_all_is_computed_on_the_cpu_nothing_is_said_of_that() -> None:
    kernels: KernelPlacements = {
        op: {"13": {"cpu": ["float"], "none": ["double"]}} for op in ("NonZero", "Relu", "Tanh")
    }
    wasm = KernelTable(target=Target("1.30.0", "wasm"), measured="", adapter="", browser="", kernels=kernels)
    found = inspected("g (float[4] x) => (int64[N,M] y) { a = Tanh (x) y = NonZero (a) }", wasm)
    assert places(found) == {"Tanh": "cpu", "NonZero": "cpu"}
    assert found.findings == ()
    nowhere = inspected("g (double[4] x) => (double[4] y) { y = Tanh (x) }", wasm)
    assert [finding.code for finding in nowhere.findings] == ["unimplemented-dtype"]


@pytest.mark.parametrize(
    ("body", "wholly"),
    [
        ("y = Relu (x)", True),
        ("a = Relu (x) b = Round (a) y = Sigmoid (b)", False),
        ("s = Shape (x) y = Reshape (x, s)", True),
    ],
)
def test_a_graph_is_on_the_gpu_where_the_cpu_is_left_nothing(body: str, wholly: bool) -> None:
    assert all_on_gpu(as_ir(f"{HEADER} g (float[4] x) => (float[4] y) {{ {body} }}"), TABLE) is wholly
