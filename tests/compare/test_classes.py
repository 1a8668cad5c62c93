"""Comparing the results of a classifier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import BROWSER
from webbuild.compare.vacuity import mark_vacuous
from webbuild.manifest.manifest import ClassifyTask
from webbuild.reporting.comparison_text import describe_reason
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.metrics.compare_classes import compare_classes, compare_decoded_classes

TASK = ClassifyTask(output="y", classes=["cup", "plate", "spoon"], logits=False)
ABOUT = ComparedOutput("webgpu", "street", "decoded", "")


def classes(*scores: tuple[int, float]) -> list[ClassScore]:
    return [ClassScore(index, TASK.classes[index], score) for index, score in scores]


GOOD = classes((1, 0.7), (0, 0.2), (2, 0.1))


def verdicts(found: Sequence[Comparison]) -> dict[str, str]:
    return {each.subject.name: each.verdict for each in found}


def test_the_same_classes_are_the_same() -> None:
    best, score = compare_decoded_classes(TASK, ABOUT, GOOD, GOOD, BROWSER)
    assert (best.verdict, best.want, best.got, best.signal) == ("OK", "plate", "plate", 1)
    assert (score.verdict, score.max_abs, score.subject.stage) == ("OK", 0, "decoded")


@pytest.mark.parametrize(
    ("got", "reason"),
    [
        ([], "0 classes, wanted 3"),
        (GOOD[:2], "2 classes, wanted 3"),
        ([GOOD[0], GOOD[1], GOOD[1]], "not in order|NaN"),
        ([GOOD[1], GOOD[0], GOOD[2]], "not in order"),
        ([ClassScore(1, "cup", 0.7), *GOOD[1:]], "another class's name"),
    ],
)
def test_a_list_that_is_not_every_class_in_order_differs(got: list[ClassScore], reason: str) -> None:
    found = compare_decoded_classes(TASK, ABOUT, GOOD, got, BROWSER)
    assert "DIFFERS" in verdicts(found).values()
    assert any(part in describe_reason(each) for each in found for part in reason.split("|"))


def test_another_best_class_differs_and_names_both() -> None:
    best, score = compare_decoded_classes(TASK, ABOUT, GOOD, classes((0, 0.7), (1, 0.2), (2, 0.1)), BROWSER)
    assert (best.verdict, best.want, best.got) == ("DIFFERS", "plate", "cup")
    assert score.verdict == "DIFFERS"


def test_a_score_that_moved_differs_alone() -> None:
    got = classes((1, 0.702), (0, 0.2), (2, 0.098))
    assert verdicts(compare_decoded_classes(TASK, ABOUT, GOOD, got, BROWSER)) == {"class": "OK", "score": "DIFFERS"}


def test_nan_differs() -> None:
    scores = np.array([0.2, np.nan, 0.1])
    assert set(verdicts(compare_classes(TASK, ABOUT, scores, scores, BROWSER)).values()) == {"DIFFERS"}


def test_a_model_that_tells_no_classes_apart_proves_nothing() -> None:
    scores = np.full(3, 1 / 3)
    silent = compare_classes(TASK, ABOUT, scores, scores, BROWSER)
    assert {each.verdict for each in mark_vacuous(silent)} == {"VACUOUS"}
    heard = compare_decoded_classes(TASK, ABOUT, GOOD, GOOD, BROWSER)
    assert {each.verdict for each in mark_vacuous([*silent, *heard])} == {"OK"}
