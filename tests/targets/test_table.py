"""Tables of targets: the same both ways, and an answer to every question or None."""

from __future__ import annotations

import msgspec
import pytest

from webbuild.errors import WebbuildError
from webbuild.targets.schema import schema
from webbuild.targets.table import Case, Table, encode, table, targets
from webbuild.targets.target import Target, parse


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_a_table_is_written_as_it_was_read(target: Target) -> None:
    read = table(target)
    assert read.target == target
    assert msgspec.json.decode(encode(read), type=Table) == read


def test_cases_are_written_too() -> None:
    case = Case(what="zero/Pad input 0", op="Pad", opset=17, dtype="float", outcome="throws", message='a "b"\n')
    made = Table(target=Target("1.0", "wasm"), measured="", adapter="", browser="", kernels={}, cases=[case])
    assert msgspec.json.decode(encode(made), type=Table) == made


def test_the_schema_version_decides() -> None:
    measured = table(Target("1.30.0", "webgpu"))
    assert measured.placement("MaxPool", 12, "float") == "gpu"
    assert measured.placement("MaxPool", 22, "float") == "cpu"
    assert measured.placement("MaxPool", 12, "double") == "none"
    assert measured.placement("MaxPool", 13, "float") is None
    assert measured.placement("Nothing", 1, "float") is None


def test_a_schema_says_which_value_decides() -> None:
    found = schema("Gather", 17)
    assert found is not None
    assert (found.since, found.input) == (13, 0)
    constant = schema("ConstantOfShape", 17)
    assert constant is not None
    assert constant.since == 9
    assert schema("NoSuchOperator", 17) is None


@pytest.mark.parametrize("name", ["1.30.0", "webgpu", "-webgpu", "1.30.0-opengl", ""])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(WebbuildError, match="no-target"):
        parse(name)


def test_a_target_that_was_not_measured() -> None:
    with pytest.raises(WebbuildError, match=r"webbuild probe --version 0\.1 --build jsep"):
        table(Target("0.1", "jsep"))
