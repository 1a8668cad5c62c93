"""Losses of classifiers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Options
from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import dims

_LONGEST = 1 << 20
"""Rows of the table in which classes are looked up."""


class SimplerLosses(Decomposition):
    """Writes NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss with GatherElements and sums.

    Why: WebGPU has no kernel for either. The engine writes out their definitions, which compute with int64 on the
    CPU, in the midst of the graph.

    How: the classes, int64 as exported, are looked up in a table, which gives them as int32 and says which are to be
    ignored; GatherElements takes each class's score. Softmax is taken in its stable form, less the maximum. Right to
    1e-5 of the largest magnitude. Classes must be such as ONNX allows: 0 up to their number, or the one ignored.
    """

    code = "simpler-losses"
    outputs = 2

    def forms(self) -> Mapping[str, Form]:
        """Return how to write each."""
        return {"NegativeLogLikelihoodLoss": _likelihood, "SoftmaxCrossEntropyLoss": _cross_entropy}

    def concerns(self, model: ir.Model, node: ir.Node, options: Options) -> bool:
        """Whether the build is known: it has no kernel, but writes them as their definitions, which hold int64."""
        return options.table is not None


def _cross_entropy(add: Draft, node: ir.Node) -> list[ir.Value]:
    centred = add.op("Sub", node.inputs[0], add.reduce("ReduceMax", node.inputs[0], 1))
    sums = add.reduce("ReduceSum", add.op("Exp", centred), 1)
    logarithms = add.op("Sub", centred, add.op("Log", sums))
    return [_loss(add, node, logarithms), logarithms][: len(node.outputs)]


def _likelihood(add: Draft, node: ir.Node) -> ir.Value:
    return _loss(add, node, node.inputs[0])


def _loss(add: Draft, node: ir.Node, logarithms: ir.Value | None) -> ir.Value:
    shape, labels = dims(node.inputs[0]), node.inputs[1]
    if shape is None or len(shape) < 2 or 0 in shape:
        raise UnfitError("its shapes are not fixed")
    ignored = node.attributes.get_int("ignore_index", 0) if "ignore_index" in node.attributes else None
    classes, alive = _table(shape[1], ignored)
    places = add.op("Gather", add.const(classes, np.int32), labels, axis=0)
    taken = add.op("GatherElements", logarithms, add.unsqueeze(places, 1), axis=1)
    loss = add.op("Neg", add.squeeze(taken, 1))
    weights = node.inputs[2] if len(node.inputs) > 2 else None
    share = None if weights is None else add.op("Gather", weights, places, axis=0)
    if share is not None:
        loss = add.op("Mul", loss, share)
    if not alive.all():
        counts = add.op("Greater", add.op("Gather", add.like(loss, alive), labels, axis=0), add.like(loss, 0))
        share = add.op("Where", counts, add.like(loss, 1) if share is None else share, add.like(loss, 0))
        loss = add.op("Where", counts, loss, add.like(loss, 0))
    return _reduced(add, loss, share, node.attributes.get_string("reduction", "mean"), list(range(len(shape) - 1)))


def _table(number: int, ignored: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the class of every label, and whether it counts; labels below zero count from the end of the table."""
    size = number
    if ignored is not None:
        size = max(number, ignored + 1) if ignored >= 0 else number - ignored
    if size > _LONGEST:
        raise UnfitError("the label that it ignores is too large for a table")
    classes, alive = np.minimum(np.arange(size), number - 1), np.ones(size, np.bool_)
    if ignored is not None:
        alive[ignored], classes[ignored] = False, 0
    return classes, alive


def _reduced(add: Draft, loss: ir.Value, share: ir.Value | None, how: str, axes: list[int]) -> ir.Value:
    """Return the loss as it is, its sum, or its mean by weight."""
    if how == "none":
        return loss
    if how == "mean" and share is None:
        return add.reduce("ReduceMean", loss, axes, keepdims=0)
    total = add.reduce("ReduceSum", loss, axes, keepdims=0)
    return total if how == "sum" or share is None else add.op("Div", total, add.reduce("ReduceSum", share, axes, 0))
