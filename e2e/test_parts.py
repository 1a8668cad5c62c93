"""A tensor larger than the file size limit: stored in parts, joined in the browser, compared on both backends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models import convolution, save

SMALL_FILES = """
from webbuild.bundle import weight_shards
weight_shards.SHARD_BYTES = 200
weight_shards._MIN_SHARED_BYTES = 64
from webbuild.cli import main
main()
"""


@pytest.mark.usefixtures("webgpu")
def test_a_bundle_with_weights_in_parts_gives_the_same_answers(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "small.onnx")
    command = [sys.executable, "-c", SMALL_FILES, "pack", str(path), "-o", str(tmp_path / "out"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    files = json.loads((tmp_path / "out" / "manifest.json").read_bytes())["files"]
    assert [len(file["parts"]) for file in files if file["parts"]] == [3]
    for run in json.loads(done.stdout)["verify"]["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}, run["backend"]
        assert run["problems"] == []
