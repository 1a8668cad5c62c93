"""Thresholds as inputs."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options
from webbuild.passes._graph import constant
from webbuild.passes._selection import Selection
from webbuild.passes._tail import Tail
from webbuild.passes._tail_pass import TailPass

PREFIX = "webbuild.option."
"""Metadata keys under which the defaults of the new inputs are kept."""


class ThresholdInputs(TailPass[Tail | Selection]):
    """Makes the confidence and overlap thresholds of a detection tail inputs of the graph.

    An export bakes both in as constants, so a page could have no sliders. They become float32 inputs of shape
    [1] named `confidence` and `iou`; the exported values are kept in the model's metadata as defaults, which the
    runtime fills in. (onnxruntime-web refuses to be fed an initializer, so they cannot be optional in the graph
    itself.)
    """

    code = "threshold-inputs"
    after = ("fold-constants", "append-head", "append-set-rows")
    form = (Tail, Selection)

    def done_before(self, model: ir.Model) -> bool:
        """The defaults of the inputs are in the metadata, or the tail has its final form."""
        return super().done_before(model) or any(key.startswith(PREFIX) for key in model.metadata_props)

    def rewrite(self, model: ir.Model, tail: Tail | Selection, options: Options) -> list[Edit]:
        """Replace the two constants."""
        edits = []
        for option, (node, index) in tail.thresholds.items():
            default = constant(node.inputs[index])
            if default is None or default.size != 1:
                continue
            value = add_threshold(model, option, default.item())
            node.replace_input_with(index, value)
            why = f"{option} {default.item():.6g} is now input '{value.name}'"
            edits.append(self.done(node.name or node.op_type, why))
        return edits


def add_threshold(model: ir.Model, option: str, default: float) -> ir.Value:
    """Add a float32 input [1] for an option, and return it."""
    name = option if _is_free(model, option) else f"webbuild_{option}"
    value = ir.val(name, ir.DataType.FLOAT, [1])
    model.graph.inputs.append(value)
    model.metadata_props[f"{PREFIX}{option}"] = f"{name}={np.float32(default)!s}"
    return value


def _is_free(model: ir.Model, name: str) -> bool:
    values = {value.name for node in model.graph for value in node.outputs}
    values |= {value.name for value in model.graph.inputs} | set(model.graph.initializers)
    return name not in values
