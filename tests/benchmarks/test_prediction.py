"""How predictions are scored, and how a failure is attributed to a node."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.prediction.confusion import accuracy, confusion_counts, recall, rows
from benchmarks.prediction.measured import MeasuredModel
from benchmarks.prediction.models import PredictedModel
from benchmarks.prediction.outcomes import Prediction, PredictionPair, predicted, prediction_pairs
from tests.models import parsed, save
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

CHAIN = """<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x) => (float[4] y) { a = Exp (x) b = Round (a) y = Neg (b) }"""


def guess(text: str, folder: Path) -> tuple[PredictedModel, Prediction]:
    subject = PredictedModel("m", "model", save(parsed(text), folder / "m.onnx"))
    return subject, predicted(subject, load_table(Target("1.30.0", "webgpu")))


def ends(found: list[PredictionPair]) -> list[tuple[str, str, str]]:
    return [(pair.operator, pair.measured, pair.predicted) for pair in found]


def test_recall_is_of_what_ended_so() -> None:
    counts = confusion_counts(
        [("gpu", "gpu"), ("throws", "gpu"), ("throws", "throws"), ("removed", "removed"), ("cpu", "removed")]
    )
    assert accuracy(counts) == 2 / 4
    assert (recall(counts, "throws"), recall(counts, "cpu"), recall(counts, "wrong")) == (1 / 2, 0.0, None)
    assert any(line.startswith("| throws | 1 |") and line.endswith("| 0.500 |") for line in rows(counts))


def test_nothing_measured_is_not_all_right() -> None:
    with pytest.raises(ValueError, match="nothing"):
        accuracy(confusion_counts([]))


def test_nodes_are_held_against_where_they_were(tmp_path: Path) -> None:
    subject, found = guess(CHAIN, tmp_path)
    told = MeasuredModel("m", "model", "runs", "gg-")
    assert ends(list(prediction_pairs(subject, found, told))) == [("Exp", "gpu", "gpu"), ("Round", "gpu", "cpu")]


def test_a_failure_that_nobody_foresaw_is_a_miss_of_its_node(tmp_path: Path) -> None:
    subject, found = guess(CHAIN, tmp_path)
    told = MeasuredModel("m", "model", "throws", "gcg", failed=2)
    assert ("Neg", "throws", "gpu") in ends(list(prediction_pairs(subject, found, told)))


def test_a_failure_of_no_node_is_one_of_the_model(tmp_path: Path) -> None:
    subject, found = guess(CHAIN, tmp_path)
    assert ends(list(prediction_pairs(subject, found, MeasuredModel("m", "model", "no-session", "???")))) == [
        ("Exp", "no-session", "gpu")
    ]
    double = CHAIN.replace("float[4]", "double[4]")
    subject, found = guess(double, tmp_path)
    told = ends(list(prediction_pairs(subject, found, MeasuredModel("m", "model", "no-session", "???"))))
    assert told == [("Exp", "no-session", "no-session")]
