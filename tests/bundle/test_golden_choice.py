"""Which sample the self-test runs: the one that tells most, in half precision the one nearest to its tolerance."""

from __future__ import annotations

import numpy as np
import pytest

from webbuild.bundle.golden import choose_golden_run
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.samples.sample import Sample

SAMPLES = [Sample(name, {"x": np.ones(2, np.float32)}) for name in ("crowd", "one", "empty")]
ANSWERS = {each.name: {"y": np.ones(2, np.float32)} for each in SAMPLES}


def scores(runner: str, sample: str, objects: int, off: float) -> list[Comparison]:
    """Compare the scores of a sample's objects, which may be 1 apart."""
    counted = ComparedOutput(runner, sample, "raw", "y", quantity="detections")
    score = ComparedOutput(runner, sample, "raw", "y", quantity="score")
    return [
        Comparison(subject=counted, verdict="OK", tolerance=0, max_abs=0, signal=objects),
        Comparison(subject=score, verdict="OK", tolerance=1, max_abs=off, signal=objects),
    ]


FLOAT32 = [*scores("webgpu", "crowd", 9, 0.8), *scores("webgpu", "one", 1, 0.9), *scores("webgpu", "empty", 0, 0)]


def chosen(comparisons: list[Comparison]) -> str:
    golden = choose_golden_run(SAMPLES, comparisons, ANSWERS, {})
    assert golden is not None
    return golden.sample.name


def test_without_a_graph_in_half_precision_the_most_objects_are_chosen() -> None:
    assert chosen(FLOAT32) == "crowd"


@pytest.mark.parametrize("runner", ["webgpu fp16", "webgpu mixed"])
def test_in_half_precision_the_sample_nearest_to_its_tolerance_is_chosen(runner: str) -> None:
    nearest = [*scores(runner, "crowd", 9, 0.2), *scores(runner, "one", 1, 0.7), *scores(runner, "empty", 0, 0.9)]
    assert chosen([*FLOAT32, *nearest]) == "one", "a sample in which nothing is found tells nothing"
