"""A graph in reduced precision is compared with the outputs of the other graphs, with its own tolerance."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from tests.manifests import manifest
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.equivalence.check import EquivalenceResult
from webbuild.equivalence.reduced_precision import check_reduced_precision
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import OptionInput, TensorTask
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample

X = np.array([[1, 2, 3]], np.float32)
SAMPLES = [Sample("one", {"x": X}), Sample("two", {"x": 2 * X})]
OPTION = OptionInput(name="t", shape=[1], option="confidence", default=0.25)
GRAPH = msgspec.structs.replace(manifest().graphs[0], precision="mixed", head_status=None)
GIVEN = [
    Comparison(subject=ComparedOutput("wasm", each.name, "raw", "y"), verdict="OK", tolerance=1, signal=1)
    for each in SAMPLES
]
WITNESS = EquivalenceResult(
    GIVEN,
    {"one": {}, "two": {}},
    {},
    {"confidence": 0.5},
    {each.name: {"y": 2 * each.feeds["x"]} for each in SAMPLES},
)


def proven(factor: float, samples: Sequence[Sample] = SAMPLES) -> list[Comparison]:
    def run(feeds: Sequence[Tensors]) -> list[Tensors]:
        assert [float(each["t"][0]) for each in feeds] == [0.5] * len(feeds)
        return [{"y": factor * each["x"]} for each in feeds]

    found = check_reduced_precision(GRAPH, run, TensorTask(), [OPTION], samples, WITNESS)
    assert set(found.detections["one"]) == {"webgpu mixed"}
    return found.comparisons


def test_every_sample_is_judged_behind_the_proofs_that_there_were() -> None:
    found = proven(2.01)
    assert found[: len(GIVEN)] == GIVEN
    own = found[len(GIVEN) :]
    assert [(each.subject.sample, each.subject.runner, each.verdict) for each in own] == [
        ("one", "webgpu mixed", "OK"),
        ("two", "webgpu mixed", "OK"),
    ]


def test_more_than_reduced_precision_makes_is_not_proven() -> None:
    with pytest.raises(WebbuildError, match="webgpu mixed") as caught:
        proven(2.03)
    assert caught.value.code == "output-mismatch"


def test_samples_that_were_compared_at_no_threshold_are_left_out() -> None:
    assert len(proven(2, [SAMPLES[0], Sample("(grey)", {"x": X})])) == len(GIVEN) + 1
    with pytest.raises(WebbuildError, match="no sample"):
        proven(2, [Sample("(grey)", {"x": X})])


def test_a_graph_that_hands_every_sample_to_its_fallback_is_not_proven() -> None:
    graph = manifest().graphs[0]
    answer = {"y": 2 * X, "head_status": np.array([0, 1], np.float32)}
    with pytest.raises(WebbuildError, match="passes every sample"):
        check_reduced_precision(graph, lambda feeds: [answer for _ in feeds], TensorTask(), [OPTION], SAMPLES, WITNESS)
