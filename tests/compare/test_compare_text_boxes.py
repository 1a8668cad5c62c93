"""When the text boxes of two results are the same."""

from __future__ import annotations

import math

import msgspec
import pytest

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import BROWSER
from webbuild.tasks.decoding.detection import Box, TextBox
from webbuild.tasks.metrics.compare_text_boxes import compare_text_boxes
from webbuild.tasks.metrics.polygon_iou import polygon_iou

Corners = tuple[tuple[float, float], ...]
SQUARE: Corners = ((0, 0), (4, 0), (4, 4), (0, 4))
DIAMOND: Corners = ((2, -2), (6, 2), (2, 6), (-2, 2))


def text(
    left: float, top: float, width: float = 80, height: float = 20, score: float = 0.8, cell: float = 0
) -> TextBox:
    right, bottom = left + width, top + height
    polygon = ((left, top), (right, top), (right, bottom), (left, bottom))
    return TextBox(Box(left, top, right, bottom), score, 0, "text", polygon=polygon, cell=cell)


def compared(want: list[TextBox], got: list[TextBox]) -> dict[str, Comparison]:
    subject = ComparedOutput("wasm", "sign.png", "decoded", "")
    found = compare_text_boxes(subject, want, got, 0.6, BROWSER)
    return {each.subject.quantity: each for each in found}


def differing(want: list[TextBox], got: list[TextBox]) -> set[str]:
    return {name for name, each in compared(want, got).items() if each.verdict == "DIFFERS"}


@pytest.mark.parametrize(
    ("other", "iou"),
    [
        (SQUARE, 1),
        (((2, 0), (6, 0), (6, 4), (2, 4)), 1 / 3),
        (((4, 0), (8, 0), (8, 4), (4, 4)), 0),
        (((1, 1), (2, 1), (2, 2), (1, 2)), 1 / 16),
        (DIAMOND, 1 / 2),
        (((1, 1), (1, 1), (1, 1), (1, 1)), 0),
    ],
)
def test_the_overlap_of_two_polygons(other: Corners, iou: float) -> None:
    assert polygon_iou(SQUARE, other) == pytest.approx(iou)
    assert polygon_iou(other, SQUARE) == pytest.approx(iou)


def test_the_same_in_another_order_is_the_same() -> None:
    found = compared([text(0, 0), text(0, 50)], [text(0, 50), text(0, 0)])
    assert differing([text(0, 0), text(0, 50)], [text(0, 50), text(0, 0)]) == set()
    assert (found["detections"].signal, found["polygon"].similarity) == (2, 1)


def test_nothing_on_either_side_has_no_signal() -> None:
    assert {each.signal for each in compared([], []).values()} == {0}


@pytest.mark.parametrize(
    ("got", "wrong"),
    [
        ([text(0, 1)], {"polygon"}),
        ([text(0, 0, score=0.802)], {"score"}),
        ([text(0, 0), text(0, 50)], {"detections"}),
        ([text(0, 0), text(0, 50, score=0.6005)], set()),
        ([text(0, 200)], {"detections", "score", "polygon"}),
        ([text(0, 0, score=math.nan)], {"score", "polygon"}),
        (
            [msgspec.structs.replace(text(0, 0), polygon=((0, 0), (80, 0), (80, math.inf), (0, 20)))],
            {"score", "polygon"},
        ),
        ([], {"detections", "score", "polygon"}),
    ],
    ids=["a pixel below", "score", "one more", "one near the threshold", "elsewhere", "nan", "infinite", "none"],
)
def test_what_is_apart_differs(got: list[TextBox], wrong: set[str]) -> None:
    assert differing([text(0, 0)], got) == wrong


def test_a_cell_on_the_outline_may_move_a_box_and_its_score() -> None:
    want = [text(0, 0, cell=1)]
    assert differing(want, [text(0, 1, score=0.81)]) == set()
    assert differing(want, [text(0, 0, score=0.81)]) == {"score"}
    assert differing(want, [text(0, 3)]) == {"polygon"}
    assert differing(want, [text(0, 1, score=0.99)]) == {"score"}
