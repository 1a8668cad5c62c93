"""Cuts the detection tail out of an export: `python -m tests.passes.cut_tail model.onnx RAW_OUTPUT tail.onnx.txt`.

RAW_OUTPUT is the tensor [1, 4 + classes + keypoints, anchors] of boxes, class scores and keypoints that the tail
reads. Everything before it is dropped, weights included.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx.utils import Extractor


def cut(model: onnx.ModelProto, raw: str) -> onnx.ModelProto:
    """Return the part of the graph after `raw`, with `raw` as its only input."""
    inferred = onnx.shape_inference.infer_shapes(model)
    tail: onnx.ModelProto = Extractor(inferred).extract_model([raw], [o.name for o in inferred.graph.output])
    tail.graph.name = "tail"
    tail.producer_name = model.producer_name
    del tail.graph.value_info[:]
    del tail.metadata_props[:], tail.graph.metadata_props[:]
    for node in tail.graph.node:
        del node.metadata_props[:]
    for value in (*tail.graph.input, *tail.graph.output):
        del value.metadata_props[:]
    return tail


if __name__ == "__main__":
    source, raw_output, target = sys.argv[1:]
    tail = cut(onnx.load(source), raw_output)
    Path(target).write_text(onnx.printer.to_text(tail) + "\n", "utf-8")
