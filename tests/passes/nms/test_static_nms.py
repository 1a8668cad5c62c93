"""Both fixed-shape heads on the tails of real exports: the same rows as the export, in every situation."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.passes.heads import NAMES, ROWS, Detection, Rows, apart, head, raw_output

BOX = (20.0, 30.0, 80.0, 120.0)
EACH = pytest.mark.parametrize("name", NAMES)


def same_rows(name: str, *detections: Detection, want: int) -> Rows:
    """Return the rows of the export; assert that both heads give the same ones, and that there are `want` of them."""
    raw = raw_output(detections)
    rows = head(name).original(raw)
    gpu, cpu = head(name).run("webgpu", raw), head(name).run("wasm", raw)
    np.testing.assert_array_equal(gpu.rows, rows)
    np.testing.assert_array_equal(cpu.rows, rows)
    assert gpu.converged
    assert len(gpu.found) == want
    return rows


@EACH
def test_nobody_gives_rows_of_zeros(name: str) -> None:
    assert not same_rows(name, want=0).any()


@EACH
def test_one_detection_keeps_its_box_score_class_and_keypoints(name: str) -> None:
    rows = same_rows(name, Detection(BOX, 0.75, 7), want=1)
    assert rows[0, :6].tolist() == [*BOX, 0.75, 7]
    np.testing.assert_array_equal(rows[0, 6:], raw_output([])[0, 84:, 0])
    assert not rows[1:].any()


@EACH
def test_several_detections_come_best_first(name: str) -> None:
    scores = (0.3, 0.9, 0.5, 0.26, 0.7)
    rows = same_rows(name, *(Detection(b, s) for b, s in zip(apart(5), scores, strict=True)), want=5)
    np.testing.assert_array_equal(rows[:5, 4], np.array(sorted(scores, reverse=True), np.float32))


@EACH
def test_more_survivors_than_rows_are_cut_to_the_best(name: str) -> None:
    boxes = apart(150)
    rows = same_rows(name, *(Detection(b, 0.3 + 0.004 * i) for i, b in enumerate(boxes)), want=ROWS)
    assert rows[0, 4] == np.float32(0.3 + 0.004 * 149)
    assert rows[-1, 4] == np.float32(0.3 + 0.004 * 50)


@EACH
def test_a_worse_box_in_the_same_place_goes(name: str) -> None:
    same_rows(name, Detection(BOX, 0.5), Detection(BOX, 0.6), Detection((21, 30, 80, 120), 0.7), want=1)


@EACH
def test_equal_boxes_of_equal_score_leave_the_first(name: str) -> None:
    rows = same_rows(name, *[Detection(BOX, 0.5)] * 5, want=1)
    np.testing.assert_array_equal(rows[0, 6:], raw_output([])[0, 84:, 0])


@EACH
def test_equal_scores_keep_the_order_of_the_anchors(name: str) -> None:
    rows = same_rows(name, *(Detection(b, 0.5) for b in reversed(apart(40))), want=40)
    np.testing.assert_array_equal(rows[:40, :4], np.array(apart(40)[::-1], np.float32))


@EACH
def test_boxes_of_different_classes_do_not_suppress_each_other(name: str) -> None:
    rows = same_rows(name, Detection(BOX, 0.5, 3), Detection(BOX, 0.6, 79), Detection(BOX, 0.4, 3), want=2)
    assert rows[:2, 5].tolist() == [79, 3]


@EACH
def test_boxes_without_area_suppress_nothing(name: str) -> None:
    line, point = (20.0, 30.0, 80.0, 30.0), (20.0, 30.0, 20.0, 30.0)
    same_rows(name, Detection(line, 0.5), Detection(line, 0.6), Detection(point, 0.7), Detection(point, 0.8), want=4)


@EACH
def test_boxes_with_their_corners_exchanged_are_boxes_too(name: str) -> None:
    turned = (BOX[2], BOX[3], BOX[0], BOX[1])
    same_rows(name, Detection(turned, 0.5), Detection(BOX, 0.6), want=1)


@EACH
def test_every_value_on_the_gpu_has_one_fixed_shape(name: str) -> None:
    for node in head(name).plan.graphs["webgpu"].graph:
        for value in node.outputs:
            assert value.shape is not None, node
            assert all(isinstance(dim, int) and dim > 0 for dim in value.shape), node


@EACH
def test_no_int64_is_computed_on_the_gpu_but_the_indices_of_topk(name: str) -> None:
    for node in head(name).plan.graphs["webgpu"].graph:
        assert node.op_type not in ("NonMaxSuppression", "NonZero")
        for index, value in enumerate(node.outputs):
            assert value.dtype is not None
            assert value.dtype != ir.DataType.INT64 or (node.op_type, index) == ("TopK", 1), node


@EACH
def test_the_cpu_keeps_the_operator_and_free_sizes_only_right_behind_it(name: str) -> None:
    model = head(name).plan.graphs["wasm"]
    free = [
        node.op_type
        for node in model.graph
        if any(v.shape is None or not all(isinstance(dim, int) for dim in v.shape) for v in node.outputs)
    ]
    assert [node.op_type for node in model.graph].count("NonMaxSuppression") == 1
    assert len(free) <= 4
    assert set(free) <= {"NonMaxSuppression", "Gather", "Concat", "Slice"}
    assert "NonZero" not in {node.op_type for node in model.graph}
