"""Weights stored as integers: dequantized in the browser, compared on both backends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models import convolution, save

SMALL_TENSORS = """
from webbuild.bundle import weight_shards
weight_shards._MIN_SHARED_BYTES = 64
from webbuild.cli import main
main()
"""


@pytest.mark.usefixtures("webgpu")
def test_a_bundle_with_weights_in_eight_bits_gives_the_answers_of_what_comes_back(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "small.onnx")
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-c",
        SMALL_TENSORS,
        "pack",
        str(path),
        "-o",
        str(out),
        "--weight-dtype",
        "int8",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    files = json.loads((out / "manifest.json").read_bytes())["files"]
    assert [file["uncompressedSize"] for file in files if file["quantization"] == "int8"] == [4 * 4 * 3 * 3 * 3]
    assert said["pack"]["weightQuantization"]["eight"] == 4 * 3 * 3 * 3
    assert {run["backend"] for run in said["verify"]["backends"]} == {"wasm", "webgpu"}
    for run in said["verify"]["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}, run["backend"]
        assert all(each["tolerance"] <= 2e-4 * each["signal"] for each in judged), "of the floats that come back"
        assert run["problems"] == []
