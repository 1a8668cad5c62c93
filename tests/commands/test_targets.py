"""`webbuild targets`: the list of targets, and the differences between two of them."""

from __future__ import annotations

import json

import pytest

from webbuild.commands.options.targets import TargetsArguments
from webbuild.commands.targets import run
from webbuild.errors import WebbuildError
from webbuild.targets.table import measured_targets


def test_every_target_is_listed_with_its_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TargetsArguments(names=())) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[::3]] == [target.name for target in measured_targets()]
    kernels = dict(zip(measured_targets(), lines[1::3], strict=True))
    assert {target: "on the GPU" in line for target, line in kernels.items()} == {t: t.build != "wasm" for t in kernels}


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TargetsArguments(names=(), as_json=True)) == 0
    rows = {row["target"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["1.30.0-webgpu"]["cases"]["wrong"] > 10
    assert rows["1.30.0-webgpu"]["kernels"]["gpu"] > 500


def test_two_targets_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TargetsArguments(names=("1.30.0-wasm", "1.30.0-webgpu"))) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Relu 14 float: cpu -> gpu" in lines
    assert run(TargetsArguments(names=("1.30.0-wasm", "1.30.0-webgpu"), as_json=True)) == 0
    changes = json.loads(capsys.readouterr().out)
    assert {"subject": "Relu 14 float", "before": "cpu", "after": "gpu"} in changes
    assert len(changes) == len(lines)


def test_a_target_is_no_different_from_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TargetsArguments(names=("1.30.0-wasm", "1.30.0-wasm"))) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("names", [("1.30.0-wasm",), ("1.30.0-wasm",) * 3])
def test_one_or_three_are_no_pair(names: tuple[str, ...]) -> None:
    with pytest.raises(WebbuildError, match="needs-two-targets"):
        run(TargetsArguments(names=names))
