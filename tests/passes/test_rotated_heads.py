"""Both fixed-shape heads for rotated boxes on the tails of real exports: the same rows as the export."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.passes.heads import Rows
from tests.passes.rotated_heads import (
    CAPACITY,
    IOU,
    NAMES,
    ROWS,
    Rotated,
    RotatedHead,
    apart,
    chain,
    head,
    overlaps,
    raw_output,
)

BOX = (60.0, 80.0, 50.0, 20.0)
EACH = pytest.mark.parametrize("name", NAMES)


def same_rows(name: str, *detections: Rotated, want: int) -> Rows:
    """Return the rows of the export; assert that both heads give the same ones, and that there are `want` of them."""
    raw = raw_output(detections)
    rows = head(name).original(raw)
    gpu, cpu = head(name).run("webgpu", raw), head(name).run("wasm", raw)
    np.testing.assert_array_equal(gpu.rows, rows)
    np.testing.assert_array_equal(cpu.rows, rows)
    assert (gpu.converged, gpu.candidates) == (True, len(detections))
    assert len(gpu.found) == want
    return rows


@EACH
def test_nothing_gives_rows_of_zeros(name: str) -> None:
    assert not same_rows(name, want=0).any()


@EACH
def test_one_detection_keeps_its_box_score_class_and_angle(name: str) -> None:
    rows = same_rows(name, Rotated(BOX, 0.75, 0.4, 2), want=1)
    np.testing.assert_array_equal(rows[0], np.array([*BOX, 0.75, 2, 0.4], np.float32))
    assert not rows[1:].any()


@EACH
def test_several_detections_come_best_first(name: str) -> None:
    scores = (0.4, 0.9, 0.5, 0.31, 0.7)
    rows = same_rows(name, *(Rotated(b, s) for b, s in zip(apart(5), scores, strict=True)), want=5)
    np.testing.assert_array_equal(rows[:5, 4], np.array(sorted(scores, reverse=True), np.float32))


@EACH
def test_equal_scores_keep_the_order_of_the_anchors(name: str) -> None:
    rows = same_rows(name, *(Rotated(b, 0.5) for b in reversed(apart(40))), want=40)
    np.testing.assert_array_equal(rows[:40, :4], np.array(apart(40)[::-1], np.float32))


@EACH
def test_more_survivors_than_rows_are_cut_to_the_best(name: str) -> None:
    rows = same_rows(name, *(Rotated(b, 0.35 + 0.004 * i) for i, b in enumerate(apart(150))), want=ROWS)
    assert rows[-1, 4] == np.float32(0.35 + 0.004 * 50)


@EACH
def test_a_box_turned_by_a_right_angle_is_another(name: str) -> None:
    across = np.pi / 2
    same_rows(name, Rotated(BOX, 0.5, 0.0), Rotated(BOX, 0.6, across), Rotated(BOX, 0.7, 0.01), want=2)


@EACH
def test_a_suppressed_box_still_suppresses(name: str) -> None:
    """Greedy NMS would keep the third box: only the second, which is suppressed, overlaps it too much."""
    boxes = chain(3)
    overlap = overlaps(boxes)
    assert overlap[0, 2] < IOU < min(overlap[0, 1], overlap[1, 2])
    rows = same_rows(name, *boxes, want=1)
    assert rows[0, 4] == np.float32(0.9)


@EACH
def test_a_chain_of_any_length_leaves_its_first_box(name: str) -> None:
    same_rows(name, *chain(40), want=1)


@EACH
def test_classes_suppress_each_other_only_where_exported_so(name: str) -> None:
    kept = 1 if "agnostic" in name else 2
    same_rows(name, Rotated(BOX, 0.5, 0.2, 0), Rotated(BOX, 0.6, 0.2, 2), Rotated(BOX, 0.4, 0.2, 0), want=kept)


@EACH
def test_boxes_without_area_do_no_harm(name: str) -> None:
    line, point = (60.0, 80.0, 50.0, 0.0), (20.0, 20.0, 0.0, 0.0)
    raw = raw_output([Rotated(line, 0.5), Rotated(line, 0.6), Rotated(point, 0.7), Rotated(point, 0.8)])
    rows = head(name).original(raw)
    assert rows.any()
    np.testing.assert_array_equal(head(name).run("webgpu", raw).rows, rows)
    np.testing.assert_array_equal(head(name).run("wasm", raw).rows, rows)


@EACH
def test_as_many_candidates_as_the_capacity_are_exact(name: str) -> None:
    same_rows(name, *(Rotated(b, 0.35 + 0.001 * i) for i, b in enumerate(apart(CAPACITY))), want=ROWS)


@EACH
def test_one_candidate_more_than_the_capacity_is_reported_and_the_cpu_graph_is_right(name: str) -> None:
    crowd = [Rotated((20, 20, 20, 20), 0.9 - 0.001 * i) for i in range(CAPACITY)]
    raw = raw_output([*crowd, Rotated((100, 100, 20, 20), 0.31)])
    rows = head(name).original(raw)
    answer = head(name).run("webgpu", raw)
    assert answer.candidates == CAPACITY + 1
    assert len(answer.found) == 1
    assert (rows[:, 4] > 0).sum() == 2
    np.testing.assert_array_equal(head(name).run("wasm", raw).rows, rows)


@EACH
@pytest.mark.parametrize(("score", "rows"), [(0.3, 0), (float(np.nextafter(np.float32(0.3), np.float32(1))), 1)])
def test_a_score_at_the_threshold_is_no_candidate_and_one_step_above_it_is(name: str, score: float, rows: int) -> None:
    raw = raw_output([Rotated(BOX, score)])
    answer = head(name).run("webgpu", raw)
    assert (len(answer.found), answer.candidates) == (rows, rows)
    np.testing.assert_array_equal(answer.rows, head(name).original(raw))
    np.testing.assert_array_equal(head(name).run("wasm", raw).rows, answer.rows)


def crowd(seed: int) -> list[Rotated]:
    """Return clusters of rotated boxes; coarse positions and scores make ties and equal boxes."""
    draw = np.random.default_rng(seed)
    things = int(draw.integers(1, 12))
    centres, sizes, turns = draw.uniform(0, 192, (things, 2)), draw.uniform(8, 60, (things, 2)), draw.uniform(0, 3, 12)
    steps = int(draw.choice([8, 100, 10**6]))
    found = []
    for _ in range(int(draw.choice([0, 1, 10, 60, 150, 250, 300]))):
        thing = int(draw.integers(things))
        x, y = centres[thing] + draw.normal(0, 4, 2)
        width, height = sizes[thing] * draw.uniform(0.7, 1.3, 2)
        if steps < 100:
            x, y, width, height = (round(value / 8) * 8 for value in (x, y, width, height))
        score = float(np.round(draw.uniform(0.2, 1) * steps) / steps)
        turn = float(turns[thing] + draw.normal(0, 0.2))
        found.append(Rotated((float(x), float(y), float(width), float(height)), score, turn, int(draw.integers(3))))
    return found


@EACH
def test_random_crowds_give_the_rows_of_the_export(name: str) -> None:
    exact = reported = rows_found = 0
    for seed in range(100):
        raw = raw_output(crowd(seed), seed)
        want = head(name).original(raw)
        np.testing.assert_array_equal(head(name).run("wasm", raw).rows, want, f"seed {seed}")
        answer = head(name).run("webgpu", raw)
        assert answer.converged
        if answer.candidates <= CAPACITY:
            np.testing.assert_array_equal(answer.rows, want, f"seed {seed}")
            exact += 1
            rows_found += len(answer.found)
        else:
            reported += 1
    assert exact > 70
    assert reported > 0, "no trial was beyond the head, so its report was not tried"
    assert rows_found > 5 * exact


@EACH
@pytest.mark.parametrize(("confidence", "iou"), [(0.5, 0.45), (0.01, 0.9), (0.9, 0.1), (0.3, 0.0), (0.0, 1.0)])
def test_thresholds_given_at_run_time_act_as_if_exported(name: str, confidence: float, iou: float) -> None:
    exported = RotatedHead(name, confidence, iou)
    found = 0
    for seed in range(8):
        raw = raw_output(crowd(seed)[:200], seed)
        want = exported.original(raw)
        found += int((want[:, 4] > 0).sum())
        np.testing.assert_array_equal(head(name).run("wasm", raw, confidence, iou).rows, want)
        answer = head(name).run("webgpu", raw, confidence, iou)
        if answer.candidates <= CAPACITY:
            np.testing.assert_array_equal(answer.rows, want)
    assert found > 0 or (iou == 0 and "8.3" in name), "nothing was compared"


@EACH
def test_the_graph_for_the_gpu_has_no_int64_but_places_and_no_free_shape(name: str) -> None:
    for node in head(name).plan.graphs["webgpu"].graph:
        for value in node.outputs:
            assert value.dtype != ir.DataType.INT64 or node.op_type == "TopK", node
            assert value.shape is not None
            assert all(isinstance(dim, int) and dim > 0 for dim in value.shape), node
