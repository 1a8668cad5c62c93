"""Graphs that end before any NonMaxSuppression of one image, followed by the runtime's: the same rows as the export."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.native import Session
from tests.passes.selections import Feeds, crowd
from tests.passes.test_selections import IOU, SCORE, feeds_of, model_of, same
from webbuild.manifest.suppression import SUPPRESSION_KEY
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import LoweredGraphs, lower

SIZES = {"one": (1, 1, 40, 10), "classes": (1, 5, 60, 4), "wide": (1, 20, 120, 30)}
"""Images, classes, anchors, maximum boxes per class."""
FORMS = ("end2end", "multiclass", "ranked")
CASES = [("first", "one"), *((form, size) for form in FORMS for size in SIZES)]
EACH = pytest.mark.parametrize(("form", "size"), CASES)


def cut(model: onnx.ModelProto) -> LoweredGraphs:
    return lower(ir.from_proto(model), PassOptions(nms="shader"), ("webgpu",))


class Pair:
    """An export, and its graph that ends before NMS, followed by the runtime's step."""

    def __init__(self, model: onnx.ModelProto) -> None:
        graph = cut(model).graphs["webgpu"]
        assert SUPPRESSION_KEY in graph.metadata_props
        assert not {"NonMaxSuppression", "TopK", "Gather", "GatherND", "Split"} & {node.op_type for node in graph.graph}
        self._original, self._cut = Session(model), Session(graph)
        names = (value.name or "" for value in graph.graph.inputs)
        self._thresholds = {name: np.array([IOU if "iou" in name else SCORE]) for name in names}

    def compare(self, feeds: Feeds, note: str = "") -> int:
        return same(self._original.run(feeds), self._cut.run({**self._thresholds, **feeds}), note)


@cache
def pair(form: str, size: str) -> Pair:
    return Pair(model_of(form, *SIZES[size]))


@EACH
def test_crowds_give_the_rows_of_the_export(form: str, size: str) -> None:
    batches, classes, anchors, most = SIZES[size]
    rows = 0
    for seed in range(24):
        boxes, scores = crowd(seed, batches, classes, anchors, [0, 5, 30, 200][seed % 4])
        rows += pair(form, size).compare(feeds_of(form, boxes, scores, most), f"seed {seed}")
    assert rows > 20


@EACH
def test_every_score_above_the_threshold_gives_the_rows_of_the_export(form: str, size: str) -> None:
    batches, classes, anchors, most = SIZES[size]
    boxes, scores = crowd(1, batches, classes, anchors, 0)
    assert pair(form, size).compare(feeds_of(form, boxes, scores * 5 + np.float32(0.3), most)) > 0


@EACH
def test_chains_of_equal_scores_give_the_rows_of_the_export(form: str, size: str) -> None:
    _, classes, anchors, most = SIZES[size]
    boxes = np.full((1, anchors, 4), 40, np.float32)
    boxes[0, :, 0] += np.arange(anchors) * 10  # each overlaps the two before it by more than the threshold
    scores = np.full((1, classes, anchors), 0.5, np.float32)
    assert pair(form, size).compare(feeds_of(form, boxes, scores, most)) > 1


@pytest.mark.parametrize("form", FORMS)
def test_no_numbers_among_boxes_and_scores_give_the_rows_of_the_export(form: str) -> None:
    _, classes, anchors, most = SIZES["classes"]
    boxes, scores = crowd(3, 1, classes, anchors, 60)
    scores[0, :, ::7] = np.nan
    assert pair(form, "classes").compare(feeds_of(form, boxes, scores, most)) > 0


@pytest.mark.parametrize("classes", [1, 5])
def test_the_selected_indices_as_output_are_those_of_the_export(classes: int) -> None:
    text = f"""
        <ir_version: 8, opset_import: ["" : 18]>
        graph (float[1,40,4] boxes, float[1,{classes},40] scores) => (int64[n,3] selected)
        <int64 most = {{30}}, float[1] iou = {{{IOU}}}, float[1] score = {{{SCORE}}}>
        {{ selected = NonMaxSuppression (boxes, scores, most, iou, score) }}
    """
    boxes, scores = crowd(1, 1, classes, 40, 30)
    assert Pair(onnx.parser.parse_model(text)).compare({"boxes": boxes, "scores": scores}) > 4


def refused(model: onnx.ModelProto) -> list[str]:
    return [each.reason for each in cut(model).rewrites["webgpu"] if each.code == "runtime-nms" and not each.applied]


def test_several_pictures_stay_in_the_graph() -> None:
    assert refused(model_of("multiclass", 3, 2, 50, 6)) == ["it selects boxes of 3 pictures"]


def test_a_limit_that_is_computed_stays_in_the_graph() -> None:
    assert refused(model_of("separate", 1, 5, 60, 4)) == ["a threshold is computed"]


def test_rows_that_a_label_changes_otherwise_stay_in_the_graph() -> None:
    model = model_of("ranked", 1, 5, 60, 4)
    (cast,) = (node for node in model.graph.node if node.output[0] == "labels")
    cast.output[0] = "numbers"
    model.graph.node.append(onnx.helper.make_node("Mul", ["numbers", "numbers"], ["labels"], "squares"))
    assert refused(model) == ["its outputs depend on the class beyond its index and score"]


def ranked_by(*key: onnx.NodeProto) -> onnx.ModelProto:
    """Return a model whose TopK reads `key` instead of the scores, which are gathered in its order."""
    model = model_of("ranked", *SIZES["classes"])
    nodes = list(model.graph.node)
    at = next(i for i, node in enumerate(nodes) if node.op_type == "TopK")
    first = [node for node in nodes[at:] if node.output[0] in ("places", "chosen_boxes")]
    nodes[at].input[0], nodes[at].output[0] = "key", "best"
    scores = onnx.helper.make_node("Gather", ["chosen", "order"], ["kept_scores"], axis=0)
    later = [node for node in nodes[at + 1 :] if node not in first]
    del model.graph.node[:]
    model.graph.node.extend([*nodes[:at], *first, *key, nodes[at], scores, *later])
    return model


@pytest.mark.parametrize(
    "key",
    [
        onnx.helper.make_node("Neg", ["chosen"], ["key"]),
        onnx.helper.make_node("ReduceMax", ["chosen_boxes"], ["key"], axes=[1], keepdims=0),
    ],
    ids=["the lowest score first", "the box furthest right first"],
)
def test_a_ranking_by_something_else_stays_in_the_graph(key: onnx.NodeProto) -> None:
    assert refused(ranked_by(key)) == ["its TopK does not rank the boxes by their scores"]


def test_a_ranking_by_the_scores_that_are_gathered_again_gives_the_rows_of_the_export() -> None:
    ranked = Pair(ranked_by(onnx.helper.make_node("Identity", ["chosen"], ["key"])))
    boxes, scores = crowd(1, 1, 5, 60, 30)
    assert ranked.compare(feeds_of("ranked", boxes, scores, 4)) > 4


def with_ids(largest: int) -> onnx.ModelProto:
    """Return a model with one more output: an int64 id of each box, up to `largest`."""
    model = model_of("ranked", *SIZES["classes"])
    of_all = np.arange(largest - 59, largest + 1)
    model.graph.initializer.append(onnx.numpy_helper.from_array(of_all.astype(np.int64)[None], "of_all"))
    model.graph.node.append(onnx.helper.make_node("GatherND", ["of_all", "places"], ["of_chosen"]))
    model.graph.node.append(onnx.helper.make_node("Gather", ["of_chosen", "order"], ["ids"], axis=0))
    model.graph.output.append(onnx.helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, ["n"]))
    return model


def test_whole_numbers_that_float32_holds_give_the_rows_of_the_export() -> None:
    boxes, scores = crowd(1, 1, 5, 60, 30)
    assert Pair(with_ids(1 << 24)).compare(feeds_of("ranked", boxes, scores, 4)) > 4


def test_larger_whole_numbers_stay_in_the_graph() -> None:
    assert refused(with_ids((1 << 24) + 1)) == ["'ids' may contain integers above 2^24, which float32 rounds"]


def test_more_scores_than_the_gpu_has_room_for_stay_in_the_graph() -> None:
    reason = "it has 2,520,000 scores, and the runtime's shader takes up to 2,097,152"
    assert refused(model_of("multiclass", 1, 300, 8400, 4)) == [reason]


def test_indices_of_the_ranking_that_are_an_output_stay_in_the_graph() -> None:
    model = model_of("ranked", *SIZES["classes"])
    model.graph.output.append(onnx.helper.make_tensor_value_info("order", onnx.TensorProto.INT64, ["n"]))
    assert refused(model) == ["the indices from its TopK are used for more than gathering rows"]


def test_several_outputs_of_the_number_of_boxes_stay_in_the_graph() -> None:
    model = model_of("ranked", *SIZES["classes"])
    model.graph.output.append(onnx.helper.make_tensor_value_info("k", onnx.TensorProto.INT64, [1]))
    assert refused(model) == ["2 outputs are computed from the number of boxes"]


def test_an_output_computed_from_the_number_of_boxes_stays_in_the_graph() -> None:
    model = model_of("ranked", *SIZES["classes"])
    (cast,) = (node for node in model.graph.node if node.output[0] == "number")
    cast.output[0] = "count"
    model.graph.node.append(onnx.helper.make_node("Mul", ["count", "count"], ["number"]))
    assert refused(model) == ["'number' is computed from the number of boxes"]
