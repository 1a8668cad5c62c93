"""Which kernel a node gets if it depends on more than one type."""

from __future__ import annotations

import onnx
import onnx_ir as ir
import pytest

from webbuild.inspection.inspect import inspect
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

ONE_HOT = "({} i, {} d, {} v) => ({} y) {{ y = OneHot (i, d, v) }}"


def outcome(text: str, opset: int = 17) -> str | None:
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> g {text}')
    return inspect("", ir.from_proto(proto), load_table(Target("1.30.0", "webgpu")), {}).nodes[0].outcome


@pytest.mark.parametrize(
    ("indices", "depth", "values", "expected"),
    [
        ("int64", "float", "int32", "cpu"),
        ("int32", "float", "float", "cpu"),
        ("int64", "int64", "int32", "no-session"),
        ("int32", "int32", "int32", "no-session"),
    ],
)
def test_a_one_hot_is_looked_up_by_its_three_types(indices: str, depth: str, values: str, expected: str) -> None:
    assert outcome(ONE_HOT.format(f"{indices}[3]", depth, f"{values}[2]", f"{values}[3,n]")) == expected


def test_no_node_of_before_opset_7_is_taken_to_the_gpu() -> None:
    text = "(bool[3] x) => (bool[3] y) { y = Not (x) }"
    assert [outcome(text, opset) for opset in (1, 6, 7, 17)] == ["cpu", "cpu", "gpu", "gpu"]


def test_a_power_by_int64_is_the_cpus() -> None:
    text = "(float[3] x, int64 e) => (float[3] y) { y = Pow (x, e) }"
    assert outcome(text) == "cpu"
