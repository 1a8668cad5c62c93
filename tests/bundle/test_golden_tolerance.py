"""The tolerance of the golden run: as wide as a model that quantizes values differs from itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.models import HEADER, parsed, save
from webbuild.bundle.golden import TOLERANCE, GoldenRun
from webbuild.bundle.golden_tolerance import MAX_TOLERANCE, with_tolerance
from webbuild.manifest.manifest import Graph, NumberInput, OptionInput, TensorInput
from webbuild.runners.native import NativeRunner
from webbuild.samples.sample import Sample

X = TensorInput(name="x", dtype="float32", shape=[1, 64])
QUANTIZE = f"""{HEADER} rounding (float[1,64] x) => (float[1,64] y)
  <float scale = {{1}}, int8 zero = {{0}}> {{
    q = QuantizeLinear (x, scale, zero) y = DequantizeLinear (q, scale, zero) }}"""
ROUND = f"{HEADER} rounding (float[1,64] x) => (float[1,64] y) {{ y = Round (x) }}"
QUANTIZED_LENGTH = f"""{HEADER} rounding (float[1,64] x) => (float[1,n] y)
  <float scale = {{1}}, int8 zero = {{0}}, int64[1] one = {{1}}> {{
    mean = ReduceMean <keepdims: int = 1> (x)
    q = QuantizeLinear (mean, scale, zero) d = DequantizeLinear (q, scale, zero)
    row = Cast <to: int = 7> (d) lengths = Reshape (row, one) sizes = Concat <axis: int = 0> (one, lengths)
    y = Reshape (x, sizes) }}"""
BETWEEN = np.full((1, 64), 12.5, np.float32)
"""Halfway between two levels: any change decides."""


def tolerance(
    folder: Path, values: NDArray[np.float32], *inputs: NumberInput | OptionInput, text: str = QUANTIZE
) -> float:
    model = parsed(text)
    save(model, folder / "model.onnx")
    graph = Graph(target="wasm", file="model.onnx", weights=[], nodes=2, outputs=[], head_status=None)
    outputs = NativeRunner(folder / "model.onnx").run({"x": values})
    operators = {node.op_type for node in model.graph.node}
    recorded = GoldenRun(Sample("one", {"x": values}), outputs)
    return with_tolerance(recorded, operators, inputs or [X], [graph], folder).tolerance


def test_values_between_two_levels_need_more(tmp_path: Path) -> None:
    assert TOLERANCE < tolerance(tmp_path, BETWEEN) < MAX_TOLERANCE


def test_the_tolerance_has_a_limit(tmp_path: Path) -> None:
    assert tolerance(tmp_path, BETWEEN - 11) == MAX_TOLERANCE


@pytest.mark.parametrize(("values", "text"), [(np.round(BETWEEN), QUANTIZE), (BETWEEN, ROUND)], ids=["levels", "other"])
def test_other_models_and_values_keep_the_tolerance(tmp_path: Path, values: NDArray[np.float32], text: str) -> None:
    assert tolerance(tmp_path, values, text=text) == TOLERANCE


def test_an_exact_input_is_not_perturbed(tmp_path: Path) -> None:
    exact = OptionInput(name="x", dtype="float32", shape=[1, 64], option="confidence", default=0.5)
    assert tolerance(tmp_path, BETWEEN, exact) == TOLERANCE


def test_a_size_of_quantized_values_may_change_under_noise(tmp_path: Path) -> None:
    """The mean is halfway between 63 and 64: with 63, the Reshape of 64 numbers fails."""
    assert tolerance(tmp_path, np.full((1, 64), 63.5, np.float32), text=QUANTIZED_LENGTH) == TOLERANCE
