"""InstanceNormalization with sequential sums is equivalent, and used only where it is possible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import parsed, save
from webbuild.compare.perturbation import perturb
from webbuild.runners.native import NativeRunner
from webbuild.runners.sequential_sums import with_sequential_sums
from webbuild.runners.tensors import Tensors

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


def test_the_scales_of_a_resize_are_no_weights(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 13]> shrink (float[1,3,8,8] x) => (float[1,3,4,4] y)
    <float[3,1,1] weight = {0.5, 1.5, 2.5}, float roi = {}, float[4] scales = {1, 1, 0.5, 0.5}> {
      a = Mul (x, weight)
      y = Resize <mode = "linear"> (a, roi, scales) }"""
    native = NativeRunner(save(parsed(text.replace("float roi", "float[0] roi")), tmp_path / "shrink.onnx"))
    seen: list[str] = []

    def changed(weights: Tensors) -> Tensors:
        seen.extend(weights)
        return perturb(weights, 0)

    picture = np.random.default_rng(4).normal(0, 1, (1, 3, 8, 8)).astype(np.float32)
    before = native.run({"x": picture})["y"]
    with native.perturbed(changed):
        after = native.run({"x": picture})["y"]
    assert seen == ["weight"]
    assert 0 < np.abs(after - before).max() < 1e-4


def test_weights_in_constant_nodes_are_perturbed_too(tmp_path: Path) -> None:
    """As paddle2onnx writes them."""
    text = """<ir_version: 8, opset_import: ["" : 13]> scaled (float[1,3] x) => (float[1,3] y) {
      weight = Constant <value = float[3] {0.5, 1.5, 2.5}> () count = Constant <value = float {4}> ()
      a = Mul (x, weight) y = Add (a, count) }"""
    native = NativeRunner(save(parsed(text), tmp_path / "scaled.onnx"))
    feeds = {"x": np.ones((1, 3), np.float32)}
    before = native.run(feeds)["y"]
    with native.perturbed(lambda weights: {name: array * 2 for name, array in weights.items()}):
        assert native.run(feeds)["y"].tolist() == [[5, 7, 9]]
    assert native.run(feeds)["y"].tolist() == before.tolist() == [[4.5, 5.5, 6.5]]
