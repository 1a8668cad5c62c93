"""The reference for an appended NMS head, on cases made by hand."""

from __future__ import annotations

import msgspec
import numpy as np

from tests.raw_heads import Box, Floats, head, raw_output
from webbuild.postprocess.reference_nms import reference_nms
from webbuild.postprocess.yolo import YoloPostprocess

HERE, BESIDE, THERE = (20.0, 30.0), (21.0, 30.0), (70.0, 60.0)
SIZE = (20.0, 10.0)


def found(raw: YoloPostprocess, *boxes: Box, confidence: float = 0.25, iou: float = 0.7) -> Floats:
    """Return the rows before the padding; assert that the padding is zero and comes last."""
    rows = reference_nms(raw, raw_output(raw, boxes, 8), confidence, iou)
    assert rows.shape == (1, min(8, raw.max_detections), raw.columns)
    count = int((rows[0, :, 4] > 0).sum())
    assert not rows[0, count:].any()
    return rows[0, :count]


def test_a_row_holds_corners_score_class_and_the_extra_columns() -> None:
    raw = head(extra=2)
    rows = found(raw, Box(HERE, SIZE, 0.5, 2))
    extra = raw_output(raw, [], 8)[0, 7:, 0]
    np.testing.assert_array_equal(rows, np.array([[10, 25, 30, 35, 0.5, 2, *extra]], np.float32))


def test_rows_come_best_first_and_equals_in_the_order_of_the_anchors() -> None:
    boxes = [Box((10, 10 * i), (4, 4), score) for i, score in enumerate((0.3, 0.9, 0.5, 0.9, 0.2))]
    assert (
        found(head(), *boxes)[:, [1, 4]].tolist() == np.array([[8, 0.9], [28, 0.9], [18, 0.5], [-2, 0.3]], "f").tolist()
    )


def test_a_worse_box_that_overlaps_a_kept_one_goes() -> None:
    rows = found(head(), Box(HERE, SIZE, 0.5), Box(BESIDE, SIZE, 0.6), Box(THERE, SIZE, 0.4))
    assert rows[:, 4].tolist() == np.array([0.6, 0.4], np.float32).tolist()


def test_a_suppressed_box_suppresses_nothing() -> None:
    chain = [Box((20.0 + 3 * i, 30), SIZE, 0.9 - 0.1 * i) for i in range(3)]  # each overlaps the next by 17/23
    assert found(head(), *chain)[:, 0].tolist() == [10, 16]


def test_boxes_of_different_classes_stay_unless_classes_are_one() -> None:
    boxes = Box(HERE, SIZE, 0.5, 0), Box(HERE, SIZE, 0.6, 1)
    assert found(head(), *boxes)[:, 5].tolist() == [1, 0]
    assert found(head(agnostic=True), *boxes)[:, 5].tolist() == [1]


def test_an_overlap_and_a_score_at_their_thresholds_are_not_above_them() -> None:
    half = Box((20, 30), (20, 20), 0.5), Box((20, 25), (20, 10), 0.6)
    assert len(found(head(), *half, iou=0.5)) == 2
    assert len(found(head(), *half, iou=0.49)) == 1
    assert len(found(head(), half[0], confidence=0.5)) == 0


def test_boxes_without_area_overlap_nothing() -> None:
    assert len(found(head(), Box(HERE, (20, 0), 0.5), Box(HERE, (20, 0), 0.6), iou=0)) == 2


def test_only_the_best_rows_are_kept() -> None:
    boxes = [Box((10, 10 * i), (4, 4), 0.3 + 0.1 * i) for i in range(7)]
    assert found(head(rows=3), *boxes)[:, 1].tolist() == [58, 48, 38]


def test_objectness_multiplies_the_scores() -> None:
    raw = msgspec.structs.replace(head(classes=2), layout="rows")
    output = raw_output(raw, [Box(HERE, SIZE, 0.75, 1)], 8)
    output[0, 0, 4] = 0.5
    assert reference_nms(raw, output, 0.25, 0.7)[0, 0].tolist() == [10, 25, 30, 35, 0.375, 1]
    assert not reference_nms(raw, output, 0.375, 0.7).any()


def test_boxes_in_grid_cells_are_put_where_their_cells_are() -> None:
    raw = msgspec.structs.replace(head(classes=1), layout="rows", size=(16, 32), strides=(8, 16))
    output = np.zeros((1, 10, 6), np.float32)
    output[0, 6] = [0.25, 0.5, 0, np.log(2), 1, 0.9]  # the third cell of the second row of stride 8
    output[0, 9] = [0.5, 0.5, np.log(2), 0, 1, 0.8]  # the second cell of stride 16
    rows = reference_nms(raw, output, 0.25, 0.7)[0]
    np.testing.assert_allclose(rows[:2], [[14, 4, 22, 20, 0.9, 0], [8, 0, 40, 16, 0.8, 0]], rtol=1e-6)


def test_rows_of_an_end_to_end_head_are_chosen_by_score_alone() -> None:
    raw = YoloPostprocess(output="raw", layout="final", size=(96, 96), classes=0, extra_columns=1)
    output = np.array([[[1, 2, 3, 4, 0.3, 7, 5], [1, 2, 3, 4, 0.2, 7, 6], [1, 2, 3, 4, 0.9, 7, 7]]], np.float32)
    rows = reference_nms(raw, output, 0.25, 0.7)
    np.testing.assert_array_equal(rows[0], [output[0, 2], output[0, 0], np.zeros(7)])


def test_a_suppressed_rotated_box_still_suppresses() -> None:
    raw = msgspec.structs.replace(head(extra=1), rotated=True)
    chain = [Box((20.0 + 3 * i, 30), SIZE, 0.9 - 0.1 * i) for i in range(3)]
    output = raw_output(raw, chain, 8)
    output[0, -1] = 0
    rows = reference_nms(raw, output, 0.25, 0.6)[0]
    assert rows[0, :6].tolist() == np.array([20, 30, 20, 10, 0.9, 0], np.float32).tolist()
    assert not rows[1:].any()
    output[0, 4:6, 2] = 0, chain[2].score  # the third is of another class, so nothing overlaps it
    assert (reference_nms(raw, output, 0.25, 0.6)[0, :, 4] > 0).sum() == 2


def test_the_overlap_of_rotated_boxes_sees_their_angle() -> None:
    raw = msgspec.structs.replace(head(extra=1), rotated=True)
    output = raw_output(raw, [Box(HERE, (40, 5), 0.9), Box(HERE, (40, 5), 0.8), Box(HERE, (5, 40), 0.7)], 8)
    output[0, -1, :3] = 0, np.pi / 2, np.pi / 2
    rows = reference_nms(raw, output, 0.25, 0.7)[0]
    assert rows[:, 4].tolist() == [*np.array([0.9, 0.8], np.float32).tolist(), 0, 0, 0]
