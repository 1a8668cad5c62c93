"""How the reports draw a detection: its box, its limbs, the outline of its mask."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.verify.detections_made import TASK, person
from webbuild.manifest.manifest import ObbTask, SegmentTask
from webbuild.reporting.mask_outline import Line, mask_outline
from webbuild.reporting.overlay import detection_layer
from webbuild.tasks.decoding.detection import Box, OrientedObject, Point, Segment
from webbuild.tasks.decoding.mask import Mask


def mask(*lines: str, x: float = 0, y: float = 0, size: float = 1) -> Mask:
    cells: NDArray[np.bool_] = np.array([[cell == "#" for cell in line] for line in lines], bool)
    rows, columns = cells.shape
    return Mask(x, y, columns * size, rows * size, columns, rows, cells.tobytes())


@pytest.mark.parametrize(
    ("drawn", "wanted"),
    [
        (mask("#"), {(0, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 1), (1, 0, 1, 1)}),
        (mask(".##", "###"), {
            (1, 0, 3, 0), (0, 1, 1, 1), (0, 2, 3, 2), (0, 1, 0, 2), (1, 0, 1, 1), (3, 0, 3, 2),
        }),
        (mask("###", "#.#", "###"), {
            (0, 0, 3, 0), (0, 3, 3, 3), (0, 0, 0, 3), (3, 0, 3, 3),
            (1, 1, 2, 1), (1, 2, 2, 2), (1, 1, 1, 2), (2, 1, 2, 2),
        }),
        (mask("...", "..."), set()),
        (mask("#", x=10, y=20, size=2.5), {
            (10, 20, 12.5, 20), (10, 22.5, 12.5, 22.5), (10, 20, 10, 22.5), (12.5, 20, 12.5, 22.5),
        }),
    ],
    ids=["one cell", "a step", "a hole", "nothing", "in source pixels"],
)  # fmt: skip
def test_the_outline_is_every_line_between_inside_and_outside(drawn: Mask, wanted: set[Line]) -> None:
    lines = mask_outline(drawn)
    assert set(lines) == wanted
    assert len(lines) == len(wanted)


def test_a_mask_without_cells_has_no_outline() -> None:
    assert mask_outline(Mask(3, 4, 0, 5, 0, 5)) == []


def test_a_person_is_drawn_with_an_upright_box_and_limbs() -> None:
    (figure,) = detection_layer("native", TASK, [person()]).figures
    assert figure.corners == ((1, 2), (30, 2), (30, 40), (1, 40))
    assert figure.limbs == ((5, 6, 7, 8),)
    assert figure.lines == ()


def test_a_segment_is_drawn_with_its_outline() -> None:
    task = SegmentTask(output="rows", protos="protos", rows=1, classes=["cup"], mask_coefficients=1)
    (figure,) = detection_layer("native", task, [Segment(Box(0, 0, 1, 1), 0.5, 0, "cup", mask=mask("#"))]).figures
    assert len(figure.lines) == 4
    assert figure.label == "cup 0.500"


def test_a_turned_object_is_drawn_with_its_corners() -> None:
    corners = (Point(5, 0), Point(10, 5), Point(5, 10), Point(0, 5))
    turned = OrientedObject(
        Box(0, 0, 10, 10), 0.5, 0, "ship", center=Point(5, 5), width=7, height=7, angle=0.785, corners=corners
    )
    (figure,) = detection_layer("native", ObbTask(output="rows", rows=1, classes=["ship"]), [turned]).figures
    assert figure.corners == ((5, 0), (10, 5), (5, 10), (0, 5))
