"""Models with a NonMaxSuppression in the common export forms, of any size, and scores to feed them.

- `end2end`: YOLOv7's `--end2end`: the class offset is added to the boxes, one list of scores for each image; rows of
  image, box, class and score are gathered by (image, box).
- `separate`: a separate model that selects from a detector's `detection` [1, 4 + classes, anchors] by a `config` of
  boxes per class, IoU and score thresholds; boxes are given by their centres.
- `multiclass`: PaddleDetection's: rows of class, score and box gathered by flat indices, and their count.
- `first`: torchvision's: the first boxes of one list, and their scores.
- `ranked`: TensorFlow's: the best boxes of all classes, sorted again, and their count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

Form = Callable[..., onnx.ModelProto]
Feeds = dict[str, NDArray[Any]]

_FLOAT, _INT64 = TensorProto.FLOAT, TensorProto.INT64


def _model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Sequence[int]],
    outputs: Mapping[str, tuple[int, Sequence[int | str]]],
    constants: Mapping[str, NDArray[Any]],
    opset: int,
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "selection",
        [helper.make_tensor_value_info(name, _FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in outputs.items()],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def _node(op: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), outputs.split(), name=f"{op}_{outputs.split()[0]}", **attributes)


def _vector(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def end2end(
    batches: int, classes: int, anchors: int, most: int, iou: float, score: float, opset: int = 13
) -> onnx.ModelProto:
    nodes = [
        _node("Slice", "prediction zero four two", "boxes"),
        _node("Slice", "prediction four five two", "objectness"),
        _node("Slice", "prediction five end two", "of_class"),
        _node("Mul", "of_class objectness", "scores"),
        _node("MatMul", "boxes convert", "corners"),
        _node("ReduceMax", "scores", "best", axes=[2], keepdims=1),
        _node("ArgMax", "scores", "label", axis=2, keepdims=1),
        _node("Cast", "label", "label_float", to=_FLOAT),
        _node("Mul", "label_float far", "offset"),
        _node("Add", "corners offset", "apart"),
        _node("Transpose", "best", "lists", perm=[0, 2, 1]),
        _node("NonMaxSuppression", "apart lists most iou score", "selected"),
        _node("Gather", "selected picture", "pictures", axis=1),
        _node("Gather", "selected place", "places", axis=1),
        _node("Unsqueeze", "pictures one", "picture_column"),
        _node("Unsqueeze", "places one", "place_column"),
        _node("Concat", "picture_column place_column", "pairs", axis=-1),
        _node("GatherND", "corners pairs", "kept_boxes"),
        _node("GatherND", "label pairs", "kept_labels"),
        _node("Cast", "kept_labels", "kept_classes", to=_FLOAT),
        _node("GatherND", "best pairs", "kept_scores"),
        _node("Cast", "picture_column", "which", to=_FLOAT),
        _node("Concat", "which kept_boxes kept_classes kept_scores", "output", axis=1),
    ]
    convert = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [-0.5, 0, 0.5, 0], [0, -0.5, 0, 0.5]], np.float32)
    constants: dict[str, NDArray[Any]] = {
        **{name: _vector(value) for name, value in {"zero": 0, "one": 1, "two": 2, "four": 4, "five": 5}.items()},
        "end": _vector(5 + classes),
        "most": _vector(most),
        "convert": convert,
        "far": np.array([640.0], np.float32),
        "iou": np.array([iou], np.float32),
        "score": np.array([score], np.float32),
        "picture": np.array(0),
        "place": np.array(2),
    }
    shape = [batches, anchors, 5 + classes]
    return _model(nodes, {"prediction": shape}, {"output": (_FLOAT, ["n", 7])}, constants, opset)


def separate(batches: int, classes: int, anchors: int, opset: int = 17) -> onnx.ModelProto:
    assert batches == 1
    nodes = [
        _node("Transpose", "detection", "table", perm=[0, 2, 1]),
        _node("Slice", "table zero four two", "boxes"),
        _node("Slice", "detection four end one", "scores"),
        _node("Slice", "config zero one zero", "topk_float"),
        _node("Cast", "topk_float", "topk", to=_INT64),
        _node("Slice", "config one two zero", "iou"),
        _node("Slice", "config two three zero", "score"),
        _node("NonMaxSuppression", "boxes scores topk iou score", "triples", center_point_box=1),
        _node("Slice", "triples two three one", "place_column"),
        _node("Reshape", "place_column flat", "places"),
        _node("Gather", "table places", "selected", axis=1),
    ]
    numbers = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "end": 4 + classes, "flat": -1}
    constants: dict[str, NDArray[Any]] = {name: _vector(value) for name, value in numbers.items()}
    inputs = {"detection": [1, 4 + classes, anchors], "config": [3]}
    return _model(nodes, inputs, {"selected": (_FLOAT, [1, "n", 4 + classes])}, constants, opset)


def multiclass(
    batches: int, classes: int, anchors: int, most: int, iou: float, score: float, opset: int = 16
) -> onnx.ModelProto:
    nodes = [
        _node("NonMaxSuppression", "boxes scores most iou score", "triples"),
        _node("Split", "triples", "picture_column class_column place_column", axis=1),
        _node("Mul", "picture_column classes", "list_start"),
        _node("Add", "list_start class_column", "list"),
        _node("Mul", "list anchors", "score_start"),
        _node("Add", "score_start place_column", "score_number"),
        _node("Reshape", "scores flat", "score_list"),
        _node("Gather", "score_list score_number", "kept_scores"),
        _node("Mul", "picture_column anchors", "box_start"),
        _node("Add", "box_start place_column", "box_number"),
        _node("Squeeze", "box_number one", "box_numbers"),
        _node("Reshape", "boxes four", "box_list"),
        _node("Gather", "box_list box_numbers", "kept_boxes", axis=0),
        _node("Cast", "class_column", "kept_classes", to=_FLOAT),
        _node("Concat", "kept_classes kept_scores kept_boxes", "bbox", axis=1),
        _node("Shape", "bbox", "shape"),
        _node("Gather", "shape zero", "bbox_num", axis=0),
    ]
    constants: dict[str, NDArray[Any]] = {
        "most": _vector(most),
        "iou": np.array([iou], np.float32),
        "score": np.array([score], np.float32),
        "classes": _vector(classes),
        "anchors": _vector(anchors),
        "flat": _vector(-1),
        "four": _vector(-1, 4),
        "one": _vector(1),
        "zero": _vector(0),
    }
    inputs = {"boxes": [batches, anchors, 4], "scores": [batches, classes, anchors]}
    outputs: dict[str, tuple[int, Sequence[int | str]]] = {"bbox": (_FLOAT, ["n", 6]), "bbox_num": (_INT64, [1])}
    return _model(nodes, inputs, outputs, constants, opset)


def first(
    batches: int, classes: int, anchors: int, most: int, iou: float, score: float, opset: int = 17
) -> onnx.ModelProto:
    assert (batches, classes) == (1, 1)
    nodes = [
        _node("NonMaxSuppression", "boxes scores all iou score", "triples"),
        _node("Gather", "triples two", "column", axis=1),
        _node("Squeeze", "column one", "places"),
        _node("Slice", "places zero most zero", "kept"),
        _node("Squeeze", "boxes zero", "box_list"),
        _node("Reshape", "scores flat", "score_list"),
        _node("Gather", "box_list kept", "kept_boxes", axis=0),
        _node("Gather", "score_list kept", "kept_scores", axis=0),
    ]
    constants: dict[str, NDArray[Any]] = {
        **{name: _vector(value) for name, value in {"zero": 0, "one": 1, "two": 2, "flat": -1, "most": most}.items()},
        "all": _vector(2**63 - 1),
        "iou": np.array([iou], np.float32),
        "score": np.array([score], np.float32),
    }
    outputs: dict[str, tuple[int, Sequence[int | str]]] = {
        "kept_boxes": (_FLOAT, ["n", 4]),
        "kept_scores": (_FLOAT, ["n"]),
    }
    return _model(nodes, {"boxes": [1, anchors, 4], "scores": [1, 1, anchors]}, outputs, constants, opset)


def ranked(
    batches: int, classes: int, anchors: int, most: int, iou: float, score: float, opset: int = 12
) -> onnx.ModelProto:
    nodes = [
        _node("NonMaxSuppression", "boxes scores most iou score", "triples"),
        _node("GatherND", "scores triples", "chosen"),
        _node("Shape", "chosen", "size"),
        _node("Min", "size limit", "k"),
        _node("TopK", "chosen k", "kept_scores order"),
        _node("Gather", "triples picture_and_place", "places", axis=1),
        _node("GatherND", "boxes places", "chosen_boxes"),
        _node("Gather", "chosen_boxes order", "kept_boxes", axis=0),
        _node("Gather", "triples class", "classes", axis=1),
        _node("Gather", "classes order", "kept_classes", axis=0),
        _node("Cast", "kept_classes", "labels", to=_FLOAT),
        _node("Cast", "k", "number", to=_FLOAT),
    ]
    constants: dict[str, NDArray[Any]] = {
        "most": _vector(most),
        "limit": _vector(most + 2),
        "iou": np.array([iou], np.float32),
        "score": np.array([score], np.float32),
        "picture_and_place": _vector(0, 2),
        "class": np.array(1),
    }
    inputs = {"boxes": [batches, anchors, 4], "scores": [batches, classes, anchors]}
    outputs: dict[str, tuple[int, Sequence[int | str]]] = {
        "kept_boxes": (_FLOAT, ["n", 4]),
        "kept_scores": (_FLOAT, ["n"]),
        "labels": (_FLOAT, ["n"]),
        "number": (_FLOAT, [1]),
    }
    return _model(nodes, inputs, outputs, constants, opset)


def crowd(seed: int, batches: int, classes: int, anchors: int, count: int) -> tuple[Any, Any]:
    """Return centre boxes [batches, anchors, 4] in clusters, and scores [batches, classes, anchors], `count` high."""
    draw = np.random.default_rng(seed)
    middles = draw.uniform(20, 180, (6, 2))
    centres = middles[draw.integers(6, size=(batches, anchors))] + draw.normal(0, 4, (batches, anchors, 2))
    sizes = draw.uniform(10, 40, (batches, anchors, 2))
    scores = draw.uniform(0, 0.1, (batches, classes, anchors))
    steps = int(draw.choice([10, 10**6]))
    for _ in range(count):
        place = (draw.integers(batches), draw.integers(classes), draw.integers(anchors))
        scores[place] = np.round(draw.uniform(0.3, 1) * steps) / steps
    return np.concatenate([centres, sizes], -1).astype(np.float32), scores.astype(np.float32)
