"""The cases that Python and TypeScript both answer for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from webbuild.manifest import DetectTask, ImageInput, Input, PoseTask, RowTask
from webbuild.tasks._base import decode
from webbuild.tasks.detection import columns
from webbuild.tasks.geometry import Placement, place
from webbuild.tasks.picture import to_tensor

FOLDER = Path(__file__).parents[2] / "conformance"


def room(name: str) -> pytest.MarkDecorator:
    files = sorted((FOLDER / name).glob("*.json"))
    assert files, f"conformance/{name} holds no case"
    return pytest.mark.parametrize("file", files, ids=[file.stem for file in files])


def read(file: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(file.read_text("utf-8"))
    assert case["about"].endswith(".")
    return case


@room("letterbox")
def test_a_picture_becomes_the_tensor_that_is_wanted(file: Path) -> None:
    case = read(file)
    spec = msgspec.convert(case["input"], ImageInput)
    width, height = case["image"]["width"], case["image"]["height"]
    rgba = np.array(case["image"]["rgba"], np.uint8).reshape(height, width, 4)
    tensor, placement = to_tensor(rgba, spec)
    want = case["want"]
    assert list(tensor.shape) == spec.shape
    high, wide = spec.shape[2:] if spec.layout == "nchw" else spec.shape[1:3]
    sizes = {"source_width": width, "source_height": height, "input_width": wide, "input_height": high}
    assert msgspec.to_builtins(placement) == {**sizes, **want["geometry"]}
    assert case["tolerance"] <= 1e-6 * max(1.0, *map(abs, want["tensor"]))
    np.testing.assert_allclose(tensor.ravel(), want["tensor"], rtol=0, atol=case["tolerance"])
    assert placement == place(width, height, wide, high, spec.letterbox)


@room("pose")
def test_rows_become_the_poses_that_are_wanted(file: Path) -> None:
    case = read(file)
    got = decoded(case, msgspec.convert(case["task"], PoseTask))
    same(got, case["want"]["poses"], case["tolerance"])


@room("detect")
def test_rows_become_the_detections_that_are_wanted(file: Path) -> None:
    case = read(file)
    got = decoded(case, msgspec.convert(case["task"], DetectTask))
    assert all(each.pop("keypoints") == () for each in got)
    same(got, case["want"]["detections"], case["tolerance"])


def decoded(case: dict[str, Any], task: RowTask) -> list[dict[str, Any]]:
    box = case["letterbox"]
    source = box["source"]
    place = (source["width"], source["height"], box["left"], box["top"], box["width"], box["height"])
    placement = Placement(*place, *case.get("input", (0, 0)))
    rows = np.array(case["rows"], np.float64).reshape(1, -1, columns(task))
    found: list[dict[str, Any]] = msgspec.to_builtins(decode(task, {task.output: rows}, placement))
    return found


@room("contract")
def test_the_inputs_of_a_case_are_inputs_of_a_manifest(file: Path) -> None:
    assert msgspec.convert(read(file)["inputs"], list[Input])


def same(got: Any, want: Any, tolerance: float) -> None:
    """Assert that two trees are equal, numbers to within the tolerance."""
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for key, value in want.items():
            same(got[key], value, tolerance)
    elif isinstance(want, list):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other, tolerance)
    elif isinstance(want, str):
        assert got == want
    else:
        assert abs(got - want) <= tolerance
