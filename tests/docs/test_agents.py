"""The instructions for coding agents, followed step by step with a small model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest

from tests.commands.program import ROOT
from webbuild.commands.explain import all_pages

PAGE = (ROOT / "docs" / "start" / "agents.md").read_text("utf-8")
COMMANDS = re.findall(r"^```console\n(.*?)\n```", PAGE, re.MULTILINE | re.DOTALL)
MODEL = ROOT / "tests" / "inspection" / "cases" / "conv-channels-mod-3" / "line.onnx.txt"
WEIGHTS = "w = {%s}" % ",".join(str(n % 7 - 3) for n in range(8 * 6 * 3))  # noqa: UP031


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model in which WebGPU computes a node wrongly, and `webbuild` on the PATH."""
    path = tmp_path_factory.mktemp("agent")
    text = f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,6,19] x) => (float[1,8,17] y) <float[8,6,3] {WEIGHTS}> {{ y = Conv (x, w) }}"""
    onnx.save(onnx.parser.parse_model(text), path / "model.onnx")
    program = path / "bin" / "webbuild"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m webbuild "$@"\n', "utf-8")
    program.chmod(0o755)
    return path


def typed(folder: Path, command: str) -> subprocess.CompletedProcess[str]:

    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.browser
def test_the_commands_do_what_the_page_says(folder: Path) -> None:
    codes = [(command, typed(folder, command).returncode) for command in COMMANDS]
    assert codes == [(command, 1 if "inspect" in command else 0) for command in COMMANDS]
    assert len(codes) == 5

    def read(name: str) -> Any:
        return json.loads((folder / name).read_text("utf-8"))

    inspected, packed, verified = read("inspect.json"), read("pack.json"), read("verify.json")
    (finding,) = [each for each in inspected["findings"] if each["severity"] == "error"]
    assert finding["fixedBy"] == ["pad-conv-channels"]
    assert finding["url"].endswith("/codes/conv-channels-mod-3/")
    assert {each["verdict"] for each in packed["pack"]["comparisons"]} == {"OK"}
    assert packed["pack"]["inspection"]["after"] == []
    assert packed["verify"] is None
    assert [run["backend"] for run in verified["backends"]] == ["wasm", "webgpu"]
    for report, pattern in ((inspected, "inspect"), (packed, "pack"), (verified, "verify")):
        _assert_fields(report, pattern)
    loader = (folder / "dist" / "model" / "model.js").read_text("utf-8")
    assert "export const load" in loader or "export function load" in loader
    assert "export" in (folder / "dist" / "model" / "model.d.ts").read_text("utf-8")


def _assert_fields(report: Any, command: str) -> None:
    """Assert that a report has the fields in the table that follows the command which wrote it."""
    section = PAGE.partition(f"> {command}.json")[2].partition("\n## ")[0]
    cells = [re.findall(r"`([\w.\[\]]+)`", cell) for cell in re.findall(r"^\| (`[^|]+`) \|", section, re.MULTILINE)]
    fields = [
        first.rpartition(".")[0] + "." + name
        for first, *others in cells
        for name in (first.rpartition(".")[2], *others)
    ]
    assert len(fields) > 2
    for field in fields:
        found = [report]
        for part in re.findall(r"\w+|\[\]", field):
            found = [one for each in found for one in (each if part == "[]" else [each[part]])]


@pytest.mark.posix
def test_the_error_that_is_shown_is_the_real_one(folder: Path) -> None:
    shown = re.search(r"```text\n(error\[.*?)\n```", PAGE, re.DOTALL)
    command = re.search(r"`(webbuild pack model.onnx --dim [^`]+)`", PAGE)
    assert shown is not None
    assert command is not None
    done = typed(folder, command[1])
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(shown[1])


def test_the_codes_that_are_named_exist() -> None:
    named = set(re.findall(r"^\| `([a-z]+(?:-[a-z]+)+)` \|", PAGE, re.MULTILINE))
    assert len(named) > 5
    assert named <= {code for group in all_pages().values() for code in group}
