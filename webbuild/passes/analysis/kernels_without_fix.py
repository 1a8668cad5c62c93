"""Nodes whose GPU kernel throws, which the kernel table does not show and no pass rewrites."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.rewrite import is_read
from webbuild.passes.workarounds.base import PassContext, Workaround
from webbuild.passes.workarounds.conv_transpose_3d_to_conv import ConvTranspose3DToConv
from webbuild.passes.workarounds.split_grouped_conv_3d import SplitGroupedConv3D

_VOLUMES: tuple[type[Workaround], ...] = (ConvTranspose3DToConv, SplitGroupedConv3D)

_ACTIVATIONS = {"relu", "tanh", "sigmoid"}
"""Activations that the GPU kernels of LSTM and GRU support."""


def known_kernel_error(model: ir.Model, node: ir.Node, options: PassOptions) -> str | None:
    """Return why a node's GPU kernel throws; None if it does not, or if a pass rewrites the node."""
    context = PassContext(model, options)
    for defect in (kind(options) for kind in _VOLUMES if node.op_type in kind.operators):
        symptom = defect.affects(node, context)
        if symptom is not None and defect.refusal(node, context) is not None:
            return symptom.reason
    match node.op_type:
        case "MaxPool" if any(map(is_read, node.outputs[1:])):
            return "the GPU kernel returns no indices"
        case "LSTM" | "GRU" if unsupported_rnn_activations(node):
            return "the GPU kernel supports only Relu, Tanh and Sigmoid"
    return None


def unsupported_rnn_activations(node: ir.Node) -> list[str]:
    """Return the activations of a recurrent layer that its GPU kernel does not support."""
    return [name for name in node.attributes.get_strings("activations", []) if name.lower() not in _ACTIVATIONS]
