"""The reference for the rows of a set-prediction detector, on cases made by hand."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.reference import add_constant_masks, apply_reference_postprocess
from webbuild.postprocess.reference_detr import Arrays, reference_detr

PARTS = DetrPostprocess(
    layout="parts",
    output="s",
    boxes="b",
    labels="l",
    size=(64, 96),
    rows=3,
    size_input="size",
    size_order="width-height",
)
QUERIES = DetrPostprocess(layout="queries", output="logits", boxes="boxes", size=(64, 96), rows=2)


def parts() -> Arrays:
    boxes = [[0, 0, 640, 480], [320, 240, 640, 480], [64, 48, 128, 96]]
    return {
        "s": np.array([[0.25, 0.75, 0.5]], np.float32),
        "b": np.array([boxes], np.float32),
        "l": np.array([[2, 1, 0]], np.int64),
    }


def test_boxes_come_back_to_pixels_of_the_input_best_first() -> None:
    rows = reference_detr(PARTS, parts(), {"size": np.array([[640, 480]])}, 0.25)
    assert rows.tolist() == [
        [[48, 32, 96, 64, 0.75, 1], pytest.approx([9.6, 6.4, 19.2, 12.8, 0.5, 0]), [0, 0, 0, 0, 0, 0]]
    ]


def test_the_order_of_the_size_decides_which_side_is_which() -> None:
    turned = msgspec.structs.replace(PARTS, size_order="height-width")
    fed = {"size": np.array([480, 640], np.int32)}
    want = reference_detr(PARTS, parts(), {"size": np.array([[640, 480]])}, 0.1)
    np.testing.assert_array_equal(reference_detr(turned, parts(), fed, 0.1), want)
    assert (reference_detr(PARTS, parts(), fed, 0.1) != want).any()


def test_without_a_size_boxes_are_left_where_they_are() -> None:
    rows = reference_detr(msgspec.structs.replace(PARTS, size_input=""), parts(), {}, 0.7)
    assert rows[0, 0].tolist() == [320, 240, 640, 480, 0.75, 1]


def logits(*values: list[float]) -> Arrays:
    boxes = [[0.5, 0.5, 1, 1], [0.25, 0.25, 0.5, 0.25]]
    return {"logits": np.array([values], np.float32), "boxes": np.array([boxes], np.float32)}


def test_a_query_may_have_two_classes_through_a_sigmoid() -> None:
    rows = reference_detr(QUERIES, logits([-9, -9, -9], [0, 3, -9]), {}, 0.3)[0]
    assert rows[:, :4].tolist() == [[0, 8, 48, 24]] * 2
    assert rows[:, 5].tolist() == [1, 0]
    np.testing.assert_allclose(rows[:, 4], [1 / (1 + np.exp(-3)), 0.5], rtol=1e-6)


def test_a_query_has_one_class_through_a_softmax_and_the_last_is_nothing() -> None:
    outputs = logits([0, 0, 9], [2, 1, 0])
    rows = reference_detr(msgspec.structs.replace(QUERIES, softmax=True), outputs, {}, 0.3)[0]
    assert rows[0, :4].tolist() == [0, 8, 48, 24]
    np.testing.assert_allclose(rows[0, 4:], [np.exp(2) / (np.exp(2) + np.e + 1), 0], rtol=1e-6)
    assert not rows[1].any()


def test_a_score_at_the_threshold_is_not_above_it() -> None:
    assert not reference_detr(PARTS, parts(), {"size": np.array([[1, 1]])}, 0.75).any()


def test_the_raw_outputs_are_replaced_and_the_others_stay() -> None:
    outputs = {**logits([0, 0, 9], [2, 1, 0]), "hidden": np.zeros(3)}
    assert set(apply_reference_postprocess(QUERIES, outputs, {}, {"confidence": 0.5})) == {"detections", "hidden"}


def test_the_original_is_fed_its_masks() -> None:
    fed = add_constant_masks(msgspec.structs.replace(QUERIES, constant_masks={"mask": (1, 2, 2)}), {"x": np.zeros(1)})
    assert set(fed) == {"x", "mask"}
    assert fed["mask"].tolist() == [[[1, 1], [1, 1]]]


def test_a_table_counts_the_best_class_of_a_query() -> None:
    table = np.array([[[0.5, 0.5, 1, 1, 0.25, 0.75, 0.5], [0.25, 0.25, 0.5, 0.25, 0.875, 0, 0]]], np.float32)
    raw = msgspec.structs.replace(QUERIES, layout="table", output="y", boxes="y")
    want = [[0, 8, 48, 24, 0.875, 0], [0, 0, 96, 64, 0.75, 1]]
    assert reference_detr(raw, {"y": table}, {}, 0.3)[0].tolist() == want
    ends = np.array([[0.75, 1], [0.875, 0]], np.float32)
    rows = np.concatenate([table[:, :, :4], ends[None]], axis=2)
    raw = msgspec.structs.replace(raw, layout="centred")
    assert reference_detr(raw, {"y": rows}, {}, 0.3)[0].tolist() == want
