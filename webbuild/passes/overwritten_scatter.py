"""Scatters that overwrite everything."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import constant, dims, nodes_of, replace


class OverwrittenScatter(Pass):
    """Removes a ScatterND or ScatterElements whose updates replace every element of its data, in order.

    Exporters write `out[i] = rows` so, and `out[..., :n] = rows` with an index of every axis; for a batch of one, or
    for as many columns as there are, it copies, with int64 indices. onnxruntime-web's default entry throws at indices
    that name several axes.
    """

    code = "overwritten-scatter"
    after = ("fold-constants", "fixed-shape-head", "fixed-shape-nms")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Let the readers read the updates."""
        edits = []
        for node in nodes_of(model, "ScatterND", "ScatterElements"):
            updates = node.inputs[2]
            if updates is not None and _overwrites_all(node):
                replace(node.outputs[0], updates)
                edits.append(self.done(f"{node.op_type} '{node.name}'", "its updates replace all of its data"))
        return edits


def _overwrites_all(node: ir.Node) -> bool:
    data, updates, indices = dims(node.inputs[0]), dims(node.inputs[2]), constant(node.inputs[1])
    if data is None or data != updates or indices is None:
        return False
    if node.attributes.get_string("reduction", "none") != "none":
        return False
    if node.op_type == "ScatterND":
        named = data[: indices.shape[-1]]
        return list(indices.shape[:-1]) == named and bool((indices == np.moveaxis(np.indices(named), 0, -1)).all())
    axis = node.attributes.get_int("axis", 0) % len(data)
    along = np.arange(data[axis]).reshape([-1 if i == axis else 1 for i in range(len(data))])
    return list(indices.shape) == data and bool((indices == along).all())
