"""Values of inputs for `--set`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from tests.models import HEADER, parsed, save
from webbuild.errors import WebbuildError
from webbuild.model.load import load_onnx
from webbuild.model.set_inputs import set_inputs


def value(tmp_path: Path, declared: str, text: str) -> np.ndarray:
    """Return the value that a text gives for an input of this type."""
    other = f"{HEADER} g (float[2] x, {declared} v) => (float[2] y) {{ y = Relu (x) }}"
    source = set_inputs(load_onnx(save(parsed(other), tmp_path / "m.onnx")), {"v": text})
    assert [each.name for each in source.signature.inputs] == ["x"]
    stored = source.model.graph.initializers["v"].const_value
    assert stored is not None
    np.testing.assert_array_equal(stored.numpy(), source.set_inputs["v"])
    return source.set_inputs["v"]


@pytest.mark.parametrize(
    ("declared", "text", "want"),
    [
        ("int64", "16000", np.array(16000, np.int64)),
        ("float[1]", "0.5", np.array([0.5], np.float32)),
        ("float[2,2]", "0.5", np.full((2, 2), 0.5, np.float32)),
        ("float[2,2]", "1, 2,3,-4e1", np.array([[1, 2], [3, -40]], np.float32)),
        ("int32[n]", "1,2,3", np.array([1, 2, 3], np.int32)),
        ("int64[1,n,2]", "1,2,3,4", np.array([[[1, 2], [3, 4]]], np.int64)),
        ("int64[a,b]", "7", np.array([[7]], np.int64)),
        ("bool", "true", np.array(True)),
        ("bool[2]", "1,0", np.array([True, False])),
    ],
)
def test_a_value_has_the_type_and_the_shape_of_the_input(
    tmp_path: Path, declared: str, text: str, want: ArrayLike
) -> None:
    found = value(tmp_path, declared, text)
    assert found.dtype == np.asarray(want).dtype
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("uint8", "256"),
        ("uint8", "-1"),
        ("int64", "1.0"),
        ("bool", "2"),
        ("float16", "1e6"),
        ("float", "nan"),
        ("float[3]", "1,2"),
        ("int64[a,b]", "1,2"),
        ("float", "1,"),
    ],
)
def test_a_value_that_the_input_cannot_hold_is_refused(tmp_path: Path, declared: str, text: str) -> None:
    with pytest.raises(WebbuildError) as caught:
        value(tmp_path, declared, text)
    assert caught.value.code == "invalid-input-value"
