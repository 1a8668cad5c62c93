"""The value ranges of a graph's activations."""

from __future__ import annotations

import numpy as np

from tests.models import HEADER, as_ir
from tests.precision.case import FILES, model
from webbuild.precision.activation_ranges import ActivationRange, measure_ranges, range_of
from webbuild.precision.convert import clamp_model_masks

MASK = next(file for file in FILES if file.name.startswith("a_mask_takes"))


def test_a_range_is_of_the_finite_numbers() -> None:
    assert range_of(np.array([-np.inf, -3.0, 0.0, 0.5, np.nan])) == ActivationRange(-3.0, 0.5, 0.5)
    assert range_of(np.array([np.inf])) == range_of(np.zeros(3)) == ActivationRange(0.0, 0.0, np.inf)
    assert ActivationRange(-3, 0.5, 0.5).union(ActivationRange(-1, 2, 0.25)) == ActivationRange(-3, 2, 0.25)
    assert ActivationRange(-3, 0.5, 0.5).largest_magnitude == 3


def test_all_values_are_measured_over_all_feeds_and_masks_as_they_will_be() -> None:
    soft, names = clamp_model_masks(model(MASK))
    feeds = [
        {"x": np.full((1, 3, 4), number, np.float32), "hidden": np.eye(4, dtype=bool)[None, :3]} for number in (1, -2)
    ]
    found = measure_ranges(soft, feeds)
    assert names == ("never",)
    assert set(found) == {"x", "q", "s", "y"}
    assert found["x"] == ActivationRange(-2, 1, 1)
    assert found["q"] == ActivationRange(-3, 1.5, 1)
    assert found["s"].lowest == -1e4


def test_a_small_batch_measures_the_same() -> None:
    soft, _ = clamp_model_masks(model(MASK))
    feeds = [{"x": np.ones((1, 3, 4), np.float32), "hidden": np.zeros((1, 3, 4), bool)}]
    assert measure_ranges(soft, feeds, batch=1) == measure_ranges(soft, feeds)


def test_an_output_that_nothing_names_is_not_measured() -> None:
    text = f"{HEADER} g (float[1,4] x) => (int64[1,2] i) <int64[1] k = {{2}}> {{ , i = TopK(x, k) }}"
    soft, _ = clamp_model_masks(as_ir(text))
    assert set(measure_ranges(soft, [{"x": np.ones((1, 4), np.float32)}])) == {"x"}
