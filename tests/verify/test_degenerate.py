"""Degenerate outputs, reported alike by Python and TypeScript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.manifest.manifest import TensorTask, task_union
from webbuild.verify.degenerate import degenerate_problems, find_degenerate

CASES = sorted((Path(__file__).parents[2] / "conformance" / "degenerate-outputs").glob("*.json"))


def array(output: dict[str, Any]) -> NDArray[Any]:
    return np.array([float(value) for value in output["data"]]).astype(output["type"]).reshape(output["dims"])


def test_there_are_cases() -> None:
    assert CASES


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_what_is_wanted_is_reported(file: Path) -> None:
    case = json.loads(file.read_text("utf-8"))
    assert case["about"].endswith(".")
    task = msgspec.convert(case["task"], task_union())
    got = find_degenerate(task, {name: array(output) for name, output in case["outputs"].items()})
    assert [(each.code, each.output) for each in got] == [(each["code"], each["output"]) for each in case["want"]]
    for found, wanted in zip(got, case["want"], strict=True):
        assert wanted["output"] in found.message
        assert wanted["says"] in found.message


def test_what_is_flat_on_one_sample_of_two_is_no_problem() -> None:
    flat, other = {"y": np.zeros(3, np.float32)}, {"y": np.arange(3, dtype=np.float32)}
    assert degenerate_problems(TensorTask(), [flat, other]) == []
    (problem,) = degenerate_problems(TensorTask(), [flat, flat])
    assert (problem.code, problem.where) == ("flat-output", "native")
    assert "on every sample" in problem.message
    assert degenerate_problems(TensorTask(), []) == []
