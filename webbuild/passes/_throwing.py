"""Nodes that have a GPU kernel which throws: what the table of kernels cannot say."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._graph import dims

_VOLUME = 5
"""Axes of a batch of volumes."""

_ACTIVATIONS = {"relu", "tanh", "sigmoid"}
"""Those of the GPU's recurrent layers."""


def throws(node: ir.Node) -> str | None:
    """Return why a node's GPU kernel throws, None where that is not known."""
    shape = node.inputs[0].shape if node.inputs and node.inputs[0] is not None else None
    volume = shape is not None and len(shape) == _VOLUME
    match node.op_type:
        case "MaxPool" if len(node.outputs) > 1 and dims(node.outputs[0]) is None:
            return "the GPU kernel gives no indices"
        case "ConvTranspose" if volume:
            return "the GPU kernel takes no volumes"
        case "Conv" if volume and node.attributes.get_int("group", 1) != 1:
            return "the GPU kernel takes no groups of volumes"
        case "LSTM" | "GRU" if set(map(str.lower, node.attributes.get_strings("activations", []))) - _ACTIVATIONS:
            return "the GPU kernel knows Relu, Tanh and Sigmoid alone"
    return None
