"""When two text maps are the same."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import NATIVE
from webbuild.manifest.manifest import TextBoxesTask
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.text_boxes import TASK


def compared(want: list[float], got: list[float], activation: Literal["none", "sigmoid"] = "none") -> Comparison:
    task = TextBoxesTask(
        output="map", activation=activation, threshold=0.3, confidence=0.6, unclip_ratio=1.5, max_outlines=1000
    )
    subject = ComparedOutput("webgpu", "sample", "raw", "map")
    one, other = (np.array([[[values]]], np.float32) for values in (want, got))
    found = TASK.compare_output(task, subject, one, other, RunContext(), NATIVE)
    assert found is not None
    return found[0]


def test_rounding_next_to_0_is_no_difference_and_says_nothing() -> None:
    assert compared([2e-7, 0], [0, 1e-7]).verdict == "VACUOUS"


@pytest.mark.parametrize(("got", "verdict"), [([0.9, 1e-6], "OK"), ([0.9, 0.02], "DIFFERS"), ([0.8, 0], "DIFFERS")])
def test_probabilities_are_compared(got: list[float], verdict: str) -> None:
    assert compared([0.9, 0], got).verdict == verdict


def test_logits_are_compared_as_probabilities() -> None:
    assert compared([5, -30], [5, -60], "sigmoid").verdict == "OK"
    assert compared([5, -30], [4, -30], "sigmoid").verdict == "DIFFERS"
