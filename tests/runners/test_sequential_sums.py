"""InstanceNormalization with sequential sums is the same operator, and only where it can be computed so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import parsed, save
from webbuild.runners.native import NativeRunner
from webbuild.runners.sequential_sums import with_sequential_sums

PICTURE = np.random.default_rng(2).normal(3, 2, (2, 3, 5, 7)).astype(np.float32)


def model(tmp_path: Path, opset: int, kind: str = "float") -> Path:
    scale, bias = ("1.5, -2.5, 0.25", "0.1, 0.5, 4.5") if kind == "float" else ("2, -3, 1", "1, 0, 4")
    text = f"""<ir_version: 8, opset_import: ["" : {opset}]> norm ({kind}[2,3,H,W] x) => ({kind}[2,3,H,W] y)
    <{kind}[3] scale = {{{scale}}}, {kind}[3] bias = {{{bias}}}> {{
      y = InstanceNormalization <epsilon = 0.01> (x, scale, bias) }}"""
    return save(parsed(text), tmp_path / "norm.onnx")


@pytest.mark.parametrize("opset", [12, 13, 17, 22])
def test_it_computes_the_same(tmp_path: Path, opset: int) -> None:
    path = model(tmp_path, opset)
    changed = with_sequential_sums(path)
    assert changed is not None
    got = NativeRunner(path, changed).run({"x": PICTURE})["y"]
    np.testing.assert_allclose(got, NativeRunner(path).run({"x": PICTURE})["y"], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("opset", "kind"), [(11, "float"), (17, "float16")])
def test_what_has_no_such_sum_is_left(tmp_path: Path, opset: int, kind: str) -> None:
    assert with_sequential_sums(model(tmp_path, opset, kind)) is None


def test_the_block_ends_with_the_model_as_it_was(tmp_path: Path) -> None:
    native = NativeRunner(model(tmp_path, 17))
    before = native.run({"x": PICTURE})["y"]
    with native.perturbed(lambda weights: {name: array * 2 for name, array in weights.items()}):
        doubled = native.run({"x": PICTURE})["y"]
    assert np.abs(doubled - before).max() > 1
    assert np.array_equal(native.run({"x": PICTURE})["y"], before)
    assert onnx.load(native.path).functions == []
