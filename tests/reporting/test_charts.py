"""Histogram bins of errors."""

from __future__ import annotations

import pytest

from tests.verify.detections_made import comparison
from webbuild.reporting.charts import error_histogram


@pytest.mark.parametrize(
    ("error", "side"),
    [(0.0, "equal"), (1e-12, "lowest"), (0.4999, "below"), (0.5001, "above"), (1e9, "last"), (None, "last")],
)
def test_bins(error: float | None, side: str) -> None:
    drawn = error_histogram([comparison(max_abs=error)], ["webgpu"])
    (bar,) = drawn.bars
    wanted = {
        "equal": 0,
        "lowest": 1,
        "below": int(drawn.limit) - 1,
        "above": int(drawn.limit),
        "last": drawn.bins - 1,
    }
    assert bar.bin == wanted[side]
    assert (bar.bottom, bar.height, bar.count) == (0, 1, 1)


def test_backends_are_stacked_and_strangers_left_out() -> None:
    drawn = error_histogram([comparison(), comparison()], ["wasm", "webgpu"])
    assert [bar.runner for bar in drawn.bars] == ["webgpu"]
    assert error_histogram([], ["webgpu"]).most == 0
