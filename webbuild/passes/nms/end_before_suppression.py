"""Outputs of a graph without NMS, which the runtime does: boxes, scores and rows instead of the original outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

import msgspec
import onnx_ir as ir

from webbuild.manifest.suppression import SUPPRESSION_KEY, Suppression
from webbuild.model.unused_name import unused_name
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import graph_names


class PartNames(TypedDict):
    """The names of the outputs of a graph without NMS."""

    boxes: str
    scores: str
    rows: str


NAMELESS = PartNames(boxes="", scores="", rows="")
"""Names for a `Suppression` whose outputs do not exist yet."""


def end_before_suppression(
    model: ir.Model,
    outputs: Sequence[ir.Value],
    parts: Mapping[str, tuple[ir.Value | None, list[int]]],
    spec: Suppression,
) -> None:
    """Replace `outputs` of the graph by the parts, each with its shape; store `spec` with their names as metadata."""
    graph = model.graph
    end = Builder(graph, None, "suppression")
    names = {}
    for name, (value, shape) in parts.items():
        part = end.reshape(value, shape)
        part.name = unused_name(graph_names(graph), f"{outputs[0].name}_{name}")
        part.shape, part.type = ir.Shape(shape), ir.TensorType(ir.DataType.FLOAT)
        names[name] = part
    at = list(graph.outputs).index(outputs[0])
    before = [value for value in list(graph.outputs)[:at] if value not in outputs]
    after = [value for value in list(graph.outputs)[at:] if value not in outputs]
    graph.outputs[:] = [*before, *names.values(), *after]
    named = msgspec.structs.replace(spec, **{name: part.name or "" for name, part in names.items()})
    model.metadata_props[SUPPRESSION_KEY] = msgspec.json.encode(named).decode()
