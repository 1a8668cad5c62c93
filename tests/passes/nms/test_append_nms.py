"""Appended heads on both targets, compared with the reference, which shares no code with them."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest

from tests.raw_heads import SIDE, Appended, Box, head, raw_output
from webbuild.manifest.manifest import TargetName
from webbuild.postprocess.reference_nms import reference_nms
from webbuild.postprocess.yolo import YoloPostprocess

ANCHORS, ROWS = 60, 20
TRIALS = 60
COLUMNS = {
    "one class": head(1, rows=ROWS),
    "classes": head(5, rows=ROWS),
    "agnostic": head(5, agnostic=True, rows=ROWS),
    "extra columns": head(2, extra=4, rows=ROWS),
    "more rows than anchors": head(2, rows=300),
}
HEADS = {
    **COLUMNS,
    "objectness": msgspec.structs.replace(head(5, rows=ROWS), layout="rows"),
    "keypoints before the classes": msgspec.structs.replace(head(3, rows=ROWS), layout="rows", skipped_columns=8),
    "rotated": msgspec.structs.replace(head(3, extra=1, rows=ROWS), rotated=True),
    "rotated, agnostic": msgspec.structs.replace(head(3, extra=1, rows=ROWS, agnostic=True), rotated=True),
}
EACH = pytest.mark.parametrize("name", HEADS)
TARGETS: tuple[TargetName, ...] = ("webgpu", "wasm")


@cache
def appended(name: str) -> Appended:
    raw = HEADS[name]
    return Appended(raw, (1, raw.row_width, ANCHORS) if raw.layout == "columns" else (1, ANCHORS, raw.row_width))


def crowd(raw: YoloPostprocess, seed: int) -> list[Box]:
    """Return clusters of boxes; half of the trials are coarse, with ties and equal boxes. Some boxes reach far out."""
    draw = np.random.default_rng(seed)
    count = int(draw.choice([0, 1, 8, 30, ANCHORS]))
    places = draw.uniform(0, SIDE, (int(draw.integers(1, 40)), 2))
    step = 4 if seed % 2 else 1e-3
    found = []
    for _ in range(count):
        centre = np.round((places[draw.integers(len(places))] + draw.normal(0, 3, 2)) / step) * step
        size = np.round(draw.uniform(8, 60, 2) * draw.choice([1, 1, 1, 8]) / step) * step
        score = float(np.round(draw.uniform(0.2, 1) * (10 if seed % 2 else 10**6)) / (10 if seed % 2 else 10**6))
        (x, y), (width, height) = centre.tolist(), size.tolist()
        found.append(Box((x, y), (width, height), score, int(draw.integers(raw.classes))))
    return found


@EACH
def test_random_crowds_give_the_rows_of_the_reference(name: str) -> None:
    raw, counts, reported = HEADS[name], set[int](), 0
    for seed in range(TRIALS):
        output = raw_output(raw, crowd(raw, seed), ANCHORS, seed)
        want = reference_nms(raw, output, 0.25, 0.7)
        counts.add(int((want[0, :, 4] > 0).sum()))
        np.testing.assert_array_equal(appended(name).rows("wasm", output), want, f"seed {seed}")
        answer = appended(name).run("webgpu", output)
        reported += bool(answer["head_status"][0] != 1)
        if answer["head_status"][0] == 1:
            np.testing.assert_array_equal(answer["detections"], want, f"seed {seed}")
    assert {0, 1} < counts
    assert max(counts) >= ROWS
    assert reported < TRIALS / 4


@EACH
@pytest.mark.parametrize(("confidence", "iou"), [(0.5, 0.3), (0.0, 0.95), (0.9, 0.0)])
def test_the_thresholds_are_inputs(name: str, confidence: float, iou: float) -> None:
    raw = HEADS[name]
    for seed in range(8):
        output = raw_output(raw, crowd(raw, seed), ANCHORS, seed)
        want = reference_nms(raw, output, confidence, iou)
        np.testing.assert_array_equal(appended(name).rows("wasm", output, confidence=confidence, iou=iou), want)


@pytest.mark.parametrize("classes", [2, 80, 1000])
@pytest.mark.parametrize("target", TARGETS)
def test_equal_boxes_of_all_classes_stay(classes: int, target: TargetName) -> None:
    raw = head(classes, rows=300)
    boxes = [Box((48, 48), (SIDE * 3, SIDE * 3), 0.3 + 0.0005 * i, i) for i in range(min(classes, 200))]
    output = raw_output(raw, boxes, 200)
    rows = Appended(raw, output.shape).rows(target, output)
    np.testing.assert_array_equal(rows, reference_nms(raw, output, 0.25, 0.7))
    assert (rows[0, :, 4] > 0).sum() == len(boxes)


@pytest.mark.parametrize("target", TARGETS)
def test_boxes_in_grid_cells_are_decoded(target: TargetName) -> None:
    raw = msgspec.structs.replace(head(2, rows=ROWS), layout="rows", size=(32, 64), strides=(8, 16, 32))
    output = np.random.default_rng(0).uniform(-1, 1, (1, 42, 7)).astype(np.float32)
    output[..., 4:] = np.abs(output[..., 4:])
    want = reference_nms(raw, output, 0.25, 0.7)
    rows = Appended(raw, output.shape).rows(target, output)
    np.testing.assert_allclose(rows, want, rtol=1e-6, atol=1e-5)
    assert 5 < (want[0, :, 4] > 0).sum() <= ROWS


@pytest.mark.parametrize("target", TARGETS)
def test_an_end_to_end_head_loses_what_is_not_above_the_threshold(target: TargetName) -> None:
    raw = YoloPostprocess(output="raw", layout="final", size=(SIDE, SIDE), classes=0, extra_columns=3)
    output = np.random.default_rng(0).uniform(0, 1, (1, 50, 9)).astype(np.float32)
    graph = Appended(raw, output.shape)
    assert [value.name for value in graph.plan.graphs[target].graph.inputs] == ["x", "confidence"]
    for confidence in (0.0, 0.25, float(output[0, 7, 4]), 1.0):
        want = reference_nms(raw, output, confidence, 0.7)
        np.testing.assert_array_equal(graph.rows(target, output, confidence=confidence), want)
        assert (want[0, :, 4] > 0).sum() == (output[0, :, 4] > np.float32(confidence)).sum()


def test_nothing_of_the_head_computes_int64_on_the_gpu() -> None:
    for name in HEADS:
        operators = {node.op_type for node in appended(name).plan.graphs["webgpu"].graph}
        assert not operators & {"NonMaxSuppression", "NonZero", "ArgMax", "Shape", "Pad", "Mod"}
