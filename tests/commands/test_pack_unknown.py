"""An unrecognized model packs as tensors, and the message names the tasks that its shapes fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save


@pytest.mark.parametrize(
    ("nodes", "shape", "tasks"),
    [
        ("p = GlobalAveragePool (x) y = Flatten (p)", "1,3", ["classify", "embed"]),
        ("y = ReduceMax <keepdims = 1> (x, axes)", "1,1,8,8", ["depth", "matte", "text-boxes"]),
        ("i = ArgMax <axis = 1> (x) y = Cast <to = 6> (i)", "int32[1,1,8,8]", ["image-segmentation"]),
    ],
    ids=["a vector", "a map", "labels"],
)
def test_the_tasks_that_fit_are_named(tmp_path: Path, nodes: str, shape: str, tasks: list[str]) -> None:
    output = shape if "[" in shape else f"float[{shape}]"
    graph = f"{HEADER} m (float[1,3,8,8] x) => ({output} y) <int64[1] axes = {{1}}> {{ {nodes} }}"
    done = webbuild("pack", save(parsed(graph), tmp_path / "m.onnx"), "--dry-run")
    (line,) = (each for each in done.stderr.splitlines() if "no task was recognized" in each)
    assert "give one with --task: its shapes fit" in line
    assert all(f" {task}" in line for task in tasks)
    assert "crop-" not in line


@pytest.mark.parametrize(
    ("nodes", "shape", "named"),
    [
        ("y = Reshape (x, rows)", "1,48,4", False),
        ("y = ReduceMax <keepdims = 0> (x, axes)", "1,8,8", True),
        ("c = Slice (x, from, to, last) y = ReduceMax <keepdims = 0> (c, axes)", "1,8,7", True),
    ],
    ids=["rows", "a map", "a map with a rounded side"],
)
def test_rows_are_no_map_over_the_picture(tmp_path: Path, nodes: str, shape: str, named: bool) -> None:
    constants = (
        "int64[3] rows = {1,48,4}, int64[1] axes = {1}, int64[1] from = {0}, int64[1] to = {7}, int64[1] last = {3}"
    )
    graph = f"{HEADER} m (float[1,3,8,8] x) => (float[{shape}] y) <{constants}> {{ {nodes} }}"
    done = webbuild("pack", save(parsed(graph), tmp_path / "m.onnx"), "--dry-run")
    (line,) = (each for each in done.stderr.splitlines() if "no task was recognized" in each)
    assert {task: f" {task}" in line for task in ("depth", "matte")} == {"depth": named, "matte": named}


def test_a_batch_of_several_pictures_is_named_as_the_reason(tmp_path: Path) -> None:
    nodes = "p = GlobalAveragePool (x) y = Flatten (p)"
    graph = f"{HEADER} m (float[4,3,8,8] x) => (float[4,3] y) {{ {nodes} }}"
    done = webbuild("pack", save(parsed(graph), tmp_path / "m.onnx"), "--dry-run")
    (line,) = (each for each in done.stderr.splitlines() if "no task was recognized" in each)
    assert "input 'x' takes 4 pictures in every run, so export the model with batch 1 or a free batch" in line
