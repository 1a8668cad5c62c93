"""Which kernel a node gets if it depends on more than one type."""

from __future__ import annotations

from typing import Literal

import onnx
import onnx_ir as ir
import pytest

from webbuild.inspection.inspect import inspect
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

ONE_HOT = "({} i, {} d, {} v) => ({} y) {{ y = OneHot (i, d, v) }}"


def outcome(text: str, opset: int = 17, build: Literal["webgpu", "wasm"] = "webgpu") -> str | None:
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}, "ai.onnx.ml" : 3]> g {text}')
    return inspect("", ir.from_proto(proto), load_table(Target("1.30.0", build)), {}).nodes[0].outcome


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


@pytest.mark.parametrize(
    "text",
    [
        "(float[2,3] x) => (float[2,3] y) { y = ai.onnx.ml.Binarizer <threshold = 0.5> (x) }",
        '(string[2] x) => (int64[2] y) { y = ai.onnx.ml.LabelEncoder <keys_strings = ["a"], values_int64s = [1]> (x) }',
        "(string[2] x) => (bool[2] y) { y = Equal (x, x) }",
        "(string[2] x) => (string[2] y) { y = StringConcat (x, x) }",
        '(string[2] x) => (bool[2] y) { y = RegexFullMatch <pattern = "a+"> (x) }',
    ],
    ids=["ai.onnx.ml", "labels", "Equal", "StringConcat", "RegexFullMatch"],
)
def test_operators_on_tables_and_strings_have_kernels_on_wasm_only(text: str) -> None:
    assert outcome(text, 20, "webgpu") == "no-session"
    assert outcome(text, 20, "wasm") == "cpu"
