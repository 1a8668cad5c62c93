"""Target tables: the same after a round trip; every lookup gives an entry or None."""

from __future__ import annotations

import msgspec
import pytest

from webbuild.errors import WebbuildError
from webbuild.targets.schema import find_schema
from webbuild.targets.table import KernelTable, MeasuredCase, encode_table, load_table, measured_targets
from webbuild.targets.target import Target, parse_target


@pytest.mark.parametrize("target", measured_targets(), ids=lambda target: target.name)
def test_a_table_is_written_as_it_was_read(target: Target) -> None:
    read = load_table(target)
    assert read.target == target
    assert msgspec.json.decode(encode_table(read), type=KernelTable) == read


def test_cases_are_written_too() -> None:
    case = MeasuredCase(name="zero/Pad input 0", op="Pad", opset=17, dtype="float", outcome="throws", message='a "b"\n')
    made = KernelTable(target=Target("1.0", "wasm"), measured="", adapter="", browser="", kernels={}, cases=[case])
    assert msgspec.json.decode(encode_table(made), type=KernelTable) == made


def test_the_schema_version_decides() -> None:
    measured = load_table(Target("1.30.0", "webgpu"))
    assert measured.placement("MaxPool", 12, "float") == "gpu"
    assert measured.placement("MaxPool", 22, "float") == "cpu"
    assert measured.placement("MaxPool", 12, "double") == "none"
    assert measured.placement("MaxPool", 13, "float") is None
    assert measured.placement("Nothing", 1, "float") is None


def test_a_schema_says_which_value_decides() -> None:
    found = find_schema("Gather", 17)
    assert found is not None
    assert (found.since, found.deciding_input) == (13, 0)
    constant = find_schema("ConstantOfShape", 17)
    assert constant is not None
    assert constant.since == 9
    assert find_schema("NoSuchOperator", 17) is None


@pytest.mark.parametrize("name", ["1.30.0", "webgpu", "-webgpu", "1.30.0-opengl", ""])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(WebbuildError, match="unknown-target"):
        parse_target(name)


def test_jsep_is_named_and_refused() -> None:
    with pytest.raises(WebbuildError, match=r"onnxruntime-web/webgpu.*1\.30\.0-webgpu") as caught:
        parse_target("1.30.0-jsep")
    assert (caught.value.code, caught.value.exit_code) == ("jsep-build", 2)


def test_a_target_that_was_not_measured() -> None:
    with pytest.raises(WebbuildError, match=r"webbuild probe --version 0\.1 --build wasm"):
        load_table(Target("0.1", "wasm"))
