"""Graphs that end before NMS, followed by the runtime's NMS: the same rows as the export, exactly."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx_ir as ir
import pytest

from tests.native import Session
from tests.passes import heads, rotated_heads
from tests.passes.heads import NAMES, Detection, Head
from tests.passes.rotated_heads import Rotated, RotatedHead
from tests.passes.test_head_trials import crowd
from tests.passes.test_rotated_heads import crowd as rotated_crowd
from webbuild.manifest.suppression import SUPPRESSION_KEY
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower

EACH_ROTATED = pytest.mark.parametrize("name", rotated_heads.NAMES)
EACH = pytest.mark.parametrize("name", NAMES)


@cache
def lowered(name: str, head: type[Head] = Head) -> ir.Model:
    text = (head.folder / f"{name}.onnx.txt").read_text("utf-8")
    return lower(ir.from_onnx_text(text), PassOptions(nms="shader"), ("webgpu",)).graphs["webgpu"]


def run(name: str, raw: heads.Rows, confidence: float = heads.CONFIDENCE) -> heads.Rows:
    model = lowered(name)
    thresholds = {"confidence": np.array([confidence]), "iou": np.array([heads.IOU])}
    rows: heads.Rows = Session(model).run({str(model.graph.inputs[0].name): raw, **thresholds})["output0"][0]
    return rows


@EACH
def test_the_graph_ends_at_the_boxes_of_all_anchors(name: str) -> None:
    model = lowered(name)
    assert SUPPRESSION_KEY in model.metadata_props
    shapes = [[*(value.shape or ())] for value in model.graph.outputs]
    assert shapes == [[heads.ANCHORS, 4], [heads.ANCHORS], [heads.ANCHORS, 57]]
    assert not {"NonMaxSuppression", "NonZero", "TopK"} & {node.op_type for node in model.graph}


@EACH
@pytest.mark.parametrize("count", [0, 1, 700])
def test_any_number_of_candidates_gives_the_rows_of_the_export(name: str, count: int) -> None:
    raw = heads.raw_output([Detection(box, 0.9 - 0.0005 * i) for i, box in enumerate(heads.apart(count))])
    want = heads.head(name).original(raw)
    assert (want[:, 4] > 0).sum() == min(count, heads.ROWS)
    np.testing.assert_array_equal(run(name, raw), want)


@EACH
def test_a_chain_of_any_length_gives_the_rows_of_the_export(name: str) -> None:
    raw = heads.raw_output(heads.chain(60))
    want = heads.head(name).original(raw)
    assert not heads.head(name).run("webgpu", raw).converged
    np.testing.assert_array_equal(run(name, raw), want)


@EACH
@pytest.mark.parametrize("seed", range(5))
def test_crowds_give_the_rows_of_the_export(name: str, seed: int) -> None:
    raw = heads.raw_output(crowd(seed), seed)
    np.testing.assert_array_equal(run(name, raw), heads.head(name).original(raw))


def run_rotated(name: str, raw: heads.Rows, iou: float = rotated_heads.IOU) -> heads.Rows:
    model = lowered(name, RotatedHead)
    thresholds = {"confidence": np.array([rotated_heads.CONFIDENCE]), "iou": np.array([iou])}
    rows: heads.Rows = Session(model).run({str(model.graph.inputs[0].name): raw, **thresholds})["output0"][0]
    return rows


@EACH_ROTATED
def test_the_graph_ends_at_the_rotated_boxes_of_all_anchors(name: str) -> None:
    model = lowered(name, RotatedHead)
    shapes = [[*(value.shape or ())] for value in model.graph.outputs]
    anchors = rotated_heads.ANCHORS
    assert shapes == [[anchors, 5], [anchors], [anchors, 7]]
    assert not {"NonZero", "TopK", "Trilu", "Log", "Exp"} & {node.op_type for node in model.graph}


@EACH_ROTATED
@pytest.mark.parametrize("iou", [rotated_heads.IOU, 0.1, 0.95])
def test_crowds_of_rotated_boxes_give_the_rows_of_the_export(name: str, iou: float) -> None:
    exported, found = RotatedHead(name, rotated_heads.CONFIDENCE, iou), 0
    for seed in range(12):
        raw = rotated_heads.raw_output(rotated_crowd(seed), seed)
        want = exported.original(raw)
        found += int((want[:, 4] > 0).sum())
        np.testing.assert_array_equal(run_rotated(name, raw, iou), want, f"seed {seed}")
    assert found > 40


@EACH_ROTATED
def test_more_rotated_boxes_than_the_graph_has_room_for_give_the_rows_of_the_export(name: str) -> None:
    boxes = [Rotated(box, 0.9 - 0.0005 * i) for i, box in enumerate(rotated_heads.apart(700))]
    raw = rotated_heads.raw_output(boxes)
    want = rotated_heads.head(name).original(raw)
    assert (want[:, 4] > 0).all()
    np.testing.assert_array_equal(run_rotated(name, raw), want)


def test_rotated_boxes_may_come_straight_from_the_candidates() -> None:
    name = "ultralytics-8.3-dynamo"
    text = (RotatedHead.folder / f"{name}.onnx.txt").read_text("utf-8")
    joined = (
        "   [joined] joined = Concat <axis: int = -1> (select, select_3)\n   [of] of = GatherND (joined, val_186)\n"
    )
    at = text.index("   [node_GatherND_185]")
    text = (
        text[:at]
        + joined
        + text[at:].replace("GatherND <batch_dims: int = 0> (cat_27, val_259)", "GatherND (of, val_259)")
    )
    model = lower(ir.from_onnx_text(text), PassOptions(nms="shader"), ("webgpu",)).graphs["webgpu"]
    assert SUPPRESSION_KEY in model.metadata_props
    assert not {"NonZero", "GatherND"} & {node.op_type for node in model.graph}
    raw = rotated_heads.raw_output(rotated_crowd(3), 3)
    thresholds = {"confidence": np.array([rotated_heads.CONFIDENCE]), "iou": np.array([rotated_heads.IOU])}
    original = Session(ir.from_onnx_text(text)).run({"cat_25": raw})["output0"][0]
    rows = Session(model).run({"cat_25": raw, **thresholds})["output0"][0]
    assert (original[:, 4] > 0).sum() > 3
    np.testing.assert_array_equal(rows, original)


@EACH_ROTATED
def test_overlaps_of_another_formula_stay_in_the_graph(name: str) -> None:
    text = (RotatedHead.folder / f"{name}.onnx.txt").read_text("utf-8")
    other = text.replace("{12}", "{11}")
    assert other != text
    made = lower(ir.from_onnx_text(other), PassOptions(nms="shader"), ("webgpu",))
    reasons = [each.reason for each in made.rewrites["webgpu"] if each.code == "runtime-nms"]
    assert reasons == ["its overlaps are not those that the runtime computes"]
    assert SUPPRESSION_KEY not in made.graphs["webgpu"].metadata_props
