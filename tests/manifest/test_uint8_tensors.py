"""Images stored as one byte for each value, and converted back to the same tensor, bit for bit, as in the runtime."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from webbuild.manifest.manifest import ImageInput
from webbuild.manifest.uint8_tensors import from_uint8, to_uint8

CASES = sorted((Path(__file__).parents[2] / "conformance" / "uint8").glob("*.json"))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_levels_become_the_tensor_bit_for_bit(file: Path) -> None:
    case = json.loads(file.read_text())
    spec = msgspec.convert(case["input"], ImageInput)
    levels = np.array(case["values"], np.uint8).reshape(spec.shape)
    tensor = from_uint8(levels, spec)
    np.testing.assert_array_equal(tensor.ravel(), np.array(case["want"], np.float32))
    np.testing.assert_array_equal(to_uint8(tensor, spec), levels)


def test_there_are_cases() -> None:
    assert len(CASES) >= 2


def test_what_lies_between_levels_is_rounded_and_what_lies_beyond_is_held() -> None:
    letterbox = {"mode": "stretch", "anchor": "center", "pad": 0, "interpolation": "bicubic"}
    described = {"name": "x", "shape": [1, 3, 1, 1], "scale": 1.0, "mean": [0, 0, 0], "std": [1, 1, 1]}
    spec = msgspec.convert({"kind": "image", **described, "letterbox": letterbox}, ImageInput)
    tensor = np.array([-3.0, 7.4, 300.0], np.float32).reshape(spec.shape)
    assert to_uint8(tensor, spec).ravel().tolist() == [0, 7, 255]
