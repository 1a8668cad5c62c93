"""A sample of the zoo: what native ONNX Runtime runs is patched, and right in Chromium on WebGPU and on WASM."""

from __future__ import annotations

import pytest

from benchmarks.zoo.__main__ import measure
from benchmarks.zoo.row import Row
from benchmarks.zoo.stored import STORED, restore
from benchmarks.zoo.zoo_model import load_zoo

NAMES = sorted(file.name.removesuffix(".zst") for file in STORED.glob("*.zst"))


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """Return what became of each model of the sample."""
    folder = tmp_path_factory.mktemp("zoo")
    for file in STORED.glob("*.zst"):
        restore(file, folder)
    return {row.name: row for row in measure(list(load_zoo(folder, "")), folder / "patched")}


def test_the_sample_is_there() -> None:
    assert len(NAMES) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_it_is_taken_and_right(rows: dict[str, Row], name: str) -> None:
    row = rows[name]
    assert (row.patched.door, row.patched.refused, row.patched.on_wasm) == ("", "", "")
    assert (row.after.ending, row.wasm.ending) == ("right", "right"), (row.after.reason, row.wasm.reason)
    assert not row.surprises, f"on the CPU: {row.after.cpu}, expected there: {row.patched.predicted_cpu}"
    assert row.after.gpu_nodes
