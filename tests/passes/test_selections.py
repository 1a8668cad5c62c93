"""Both fixed-shape forms of any NonMaxSuppression: the same rows as the original, padded with zeros."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.native import Session
from tests.passes.selections import Feeds, Form, crowd, end2end, first, multiclass, ranked, separate
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import TARGETS, lower
from webbuild.passes.nms.status_output import candidate_capacity

IOU, SCORE = 0.5, 0.25
SIZES = {"one": (1, 1, 40, 10), "classes": (1, 5, 60, 4), "pictures": (3, 2, 50, 6), "wide": (1, 20, 120, 30)}
"""Images, classes, anchors, maximum boxes per class."""
CASES = [
    (form, size)
    for form in ("end2end", "separate", "multiclass", "first", "ranked")
    for size in (["one"] if form == "first" else SIZES)
    if (form, size) != ("separate", "pictures")
]
EACH = pytest.mark.parametrize(("form", "size"), CASES)


class Graphs:
    """The original, its two graphs, and their status outputs."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.plan = lower(ir.from_proto(model), PassOptions())
        self._original = Session(model)
        self._sessions = {target: Session(patched) for target, patched in self.plan.graphs.items()}

    def original(self, feeds: Feeds) -> dict[str, NDArray[Any]]:
        return self._original.run(feeds)

    def run(self, target: str, feeds: Feeds) -> dict[str, NDArray[Any]]:
        thresholds = {}
        for key, text in self.plan.graphs["wasm"].metadata_props.items():
            if key.startswith("webbuild.option."):
                name, _, value = text.rpartition("=")
                thresholds[name] = np.array([float(value)], np.float32)
        return self._sessions[target].run({**feeds, **thresholds})  # type: ignore[index]


@cache
def graphs(form: str, size: str) -> Graphs:
    return Graphs(model_of(form, *SIZES[size]))


def model_of(form: str, batches: int, classes: int, anchors: int, most: int) -> onnx.ModelProto:
    if form == "separate":
        return separate(batches, classes, anchors)
    forms: dict[str, Form] = {"end2end": end2end, "multiclass": multiclass, "first": first, "ranked": ranked}
    return forms[form](batches, classes, anchors, most, IOU, SCORE)


def feeds_of(form: str, boxes: NDArray[np.float32], scores: NDArray[np.float32], most: int) -> Feeds:
    if form == "end2end":
        sure = np.ones((*boxes.shape[:2], 1), np.float32)
        return {"prediction": np.concatenate([boxes, sure, scores.transpose(0, 2, 1)], -1)}
    if form == "separate":
        table = np.concatenate([boxes.transpose(0, 2, 1), scores], 1)
        return {"detection": table, "config": np.array([most, IOU, SCORE], np.float32)}
    centres, half = boxes[..., :2], boxes[..., 2:] / 2
    return {"boxes": np.concatenate([centres - half, centres + half], -1), "scores": scores}


def same(want: dict[str, NDArray[Any]], got: dict[str, NDArray[Any]], note: str = "") -> int:
    """Assert that the original's rows come first and zeros follow; return the number of rows."""
    rows = 0
    for name, value in want.items():
        found = got[name]
        rows = value.shape[-2] if value.ndim > 1 else rows
        if found.shape == value.shape:
            np.testing.assert_array_equal(found, value, f"{note} {name}")
            continue
        axis = next(i for i, (a, b) in enumerate(zip(value.shape, found.shape, strict=True)) if a != b)
        assert value.shape[axis] <= found.shape[axis]
        np.testing.assert_array_equal(found.take(range(value.shape[axis]), axis), value, f"{note} {name}")
        assert not found.take(range(value.shape[axis], found.shape[axis]), axis).any()
    return rows


@EACH
def test_every_output_has_a_fixed_shape_and_nothing_on_the_gpu_is_int64_but_places(form: str, size: str) -> None:
    planned = graphs(form, size).plan
    for target in TARGETS:
        for value in planned.graphs[target].graph.outputs:
            assert value.shape is not None
            assert all(isinstance(dim, int) for dim in value.shape)
        assert not [rewrite for rewrite in planned.rewrites[target] if not rewrite.applied]
    for node in planned.graphs["webgpu"].graph:
        assert node.op_type not in ("NonMaxSuppression", "NonZero", "Shape", "Slice" if form == "multiclass" else "")
        for value in node.outputs:
            assert value.shape is not None
            assert all(isinstance(dim, int) and dim > 0 for dim in value.shape), node
            # the box count goes through a Min, which `narrow-int64` makes int32 where a table shows a benefit
            cast = node.op_type == "Cast" and node.inputs[0].dtype != ir.DataType.INT64  # type: ignore[union-attr]
            places = cast or node.op_type in ("TopK", "Min")
            assert value.dtype != ir.DataType.INT64 or places or value.is_graph_output(), node


@EACH
def test_nothing_above_the_threshold_gives_zeros(form: str, size: str) -> None:
    batches, classes, anchors, most = SIZES[size]
    feeds = feeds_of(form, *crowd(0, batches, classes, anchors, 0), most)
    want = graphs(form, size).original(feeds)
    for target in TARGETS:
        got = graphs(form, size).run(target, feeds)
        assert same(want, got) == 0
        assert not any(got[name].any() for name in want)


@EACH
def test_random_crowds_give_the_rows_of_the_original(form: str, size: str) -> None:
    batches, classes, anchors, most = SIZES[size]
    every = graphs(form, size)
    settled = rows = 0
    for seed in range(40):
        count = [1, 5, 30, 200][seed % 4]
        feeds = feeds_of(form, *crowd(seed, batches, classes, anchors, count), most)
        want = every.original(feeds)
        rows += same(want, every.run("wasm", feeds), f"wasm {seed}")
        got = every.run("webgpu", feeds)
        if got["head_status"][0] == 1:
            same(want, got, f"webgpu {seed}")
            settled += 1
    assert settled > 30
    assert rows > 40


def test_a_limit_for_each_class_keeps_the_best_of_every_class() -> None:
    boxes, _ = crowd(0, 2, 3, 40, 0)
    boxes[..., :2] = np.stack(np.meshgrid(np.arange(8) * 50, np.arange(5) * 50), -1).reshape(40, 2)
    scores = np.random.default_rng(1).uniform(0.3, 1, (2, 3, 40)).astype(np.float32)
    every = Graphs(multiclass(2, 3, 40, 4, IOU, SCORE))
    feeds = feeds_of("multiclass", boxes, scores, 4)
    want = every.original(feeds)
    assert want["bbox"].shape[0] == 2 * 3 * 4
    np.testing.assert_array_equal(want["bbox"][:12, 0], np.repeat([0, 1, 2], 4))
    for target in TARGETS:
        got = every.run(target, feeds)
        np.testing.assert_array_equal(got["bbox"], want["bbox"])
        assert got["bbox_num"].tolist() == [24]


def test_boxes_of_different_classes_and_pictures_do_not_suppress_each_other() -> None:
    boxes = np.tile(np.array([50, 50, 20, 20], np.float32), (2, 4, 1))
    scores = np.zeros((2, 3, 4), np.float32)
    scores[0, 0, 0], scores[0, 0, 1], scores[0, 2, 2], scores[1, 0, 3] = 0.5, 0.9, 0.6, 0.4
    every = Graphs(multiclass(2, 3, 4, 4, IOU, SCORE))
    feeds = feeds_of("multiclass", boxes, scores, 4)
    assert every.original(feeds)["bbox"][:, 1].tolist() == np.array([0.9, 0.6, 0.4], np.float32).tolist()
    for target in TARGETS:
        assert same(every.original(feeds), every.run(target, feeds)) == 3


@pytest.mark.parametrize("most", [1, 3, 50])
def test_a_limit_given_at_run_time_is_honoured(most: int) -> None:
    feeds = feeds_of("separate", *crowd(3, 1, 5, 60, 60), most)
    every = graphs("separate", "classes")
    want = every.original(feeds)
    assert 0 < want["selected"].shape[1] <= 5 * most
    for target in TARGETS:
        assert same(want, every.run(target, feeds)) > 0


def test_more_candidates_than_the_capacity_are_reported_and_the_cpu_graph_is_right() -> None:
    every = Graphs(multiclass(1, 2, 400, 8, IOU, SCORE))
    boxes, scores = crowd(5, 1, 2, 400, 600)
    feeds = feeds_of("multiclass", boxes, scores, 8)
    status = every.run("webgpu", feeds)["head_status"]
    assert status[1] == (scores > SCORE).sum() > candidate_capacity(2 * 400, 2 * 8)
    assert same(every.original(feeds), every.run("wasm", feeds)) > 0


def test_the_best_of_more_boxes_than_a_graph_gives_are_those_of_the_original() -> None:
    classes, anchors, most = 20, 120, 60
    boxes = np.full((1, anchors, 4), 20, np.float32)
    boxes[0, :, :2] = np.stack(np.meshgrid(np.arange(12) * 50, np.arange(10) * 50), -1).reshape(anchors, 2)
    scores = np.linspace(0.3, 1, classes * anchors, dtype=np.float32).reshape(1, classes, anchors)
    every = Graphs(ranked(1, classes, anchors, most, IOU, SCORE))
    feeds = feeds_of("ranked", boxes, scores, most)
    want = every.original(feeds)
    assert set(want["labels"]) == {18, 19}  # 1,200 boxes are selected; those of the last labels come after the 1,024th
    assert same(want, every.run("wasm", feeds)) == most + 2


def test_on_the_cpu_both_graphs_keep_the_operator_and_give_the_rows_of_the_original() -> None:
    model = multiclass(2, 3, 40, 5, IOU, SCORE)
    planned = lower(ir.from_proto(model), PassOptions(nms="cpu"))
    feeds = feeds_of("multiclass", *crowd(4, 2, 3, 40, 30), 5)
    want = Session(model).run(feeds)
    thresholds = {"confidence": np.array([SCORE]), "webbuild_iou": np.array([IOU])}
    for target in TARGETS:
        graph = planned.graphs[target].graph
        assert "NonMaxSuppression" in {node.op_type for node in graph}
        assert [value.name for value in graph.outputs] == ["bbox", "bbox_num"]
        assert same(want, Session(planned.graphs[target]).run({**feeds, **thresholds})) > 0


@pytest.mark.parametrize(("apart", "reported"), [(True, candidate_capacity(600, 5)), (False, 600)])
def test_more_candidates_than_the_head_holds_do_not_matter_where_enough_are_kept(apart: bool, reported: int) -> None:
    every = Graphs(first(1, 1, 600, 5, IOU, SCORE))
    corner = np.stack(np.meshgrid(np.arange(30), np.arange(20)), -1).reshape(1, 600, 2) * (40 if apart else 0)
    boxes = np.concatenate([corner, corner + 30], -1).astype(np.float32)
    boxes[0, -1] += 5000
    feeds = {"boxes": boxes, "scores": np.linspace(0.9, 0.3, 600, dtype=np.float32).reshape(1, 1, 600)}
    want, got = every.original(feeds), every.run("webgpu", feeds)
    np.testing.assert_array_equal(got["head_status"], [1, reported])
    assert same(want, every.run("wasm", feeds)) == (5 if apart else 2)
    if apart:
        same(want, got)
