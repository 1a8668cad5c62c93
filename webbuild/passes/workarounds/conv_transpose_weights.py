"""Converts the weights of a ConvTranspose to weights of a Conv."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant


class ConvTransposeWeights:
    """Weights [inputs, outputs per group, *kernel]; constants are rearranged directly, others by nodes of the graph."""

    def __init__(self, add: Builder, node: ir.Node, shape: list[int]) -> None:
        self.shape = shape
        self.groups = node.attributes.get_int("group", 1)
        self._add, self._weights = add, node.inputs[1]
        self._stored = constant(self._weights)
        self._inputs = shape[0] // self.groups

    def as_pointwise_conv(self) -> ir.Value:
        """Return 1 x 1 weights with an output channel for each cell of the kernel."""
        rows = [self.groups, self._inputs, self.shape[1] * prod(self.shape[2:])]
        return self._rearrange(self._stored, self._weights, rows, [0, 2, 1], [-1, self._inputs, 1, 1])

    def as_flipped_conv(self) -> ir.Value:
        """Return the flipped kernel, outputs first."""
        stored, computed = self._stored, self._weights
        axes = range(2, len(self.shape))
        if stored is not None:
            stored = np.flip(stored, tuple(axes))
        else:
            for axis in axes:
                backwards = self._add.const(list(range(self.shape[axis]))[::-1], np.int64)
                computed = self._add.op("Gather", computed, backwards, axis=axis)
        grouped = [self.groups, self._inputs, *self.shape[1:]]
        order = [0, 2, 1, *range(3, len(grouped))]
        return self._rearrange(stored, computed, grouped, order, [-1, self._inputs, *self.shape[2:]])

    def _rearrange(
        self, stored: np.ndarray | None, computed: ir.Value | None, first: list[int], order: list[int], last: list[int]
    ) -> ir.Value:
        if stored is not None:
            return self._add.const(stored.reshape(first).transpose(order).reshape(last), stored.dtype)
        reshaped = self._add.reshape(computed, first)
        transposed = self._add.op("Transpose", reshaped, perm=order)
        return self._add.reshape(transposed, last)
