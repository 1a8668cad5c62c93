"""Pseudo-random numbers in -1..1 inside a graph, determined by the graph's inputs.

Every draw is a window of one constant. The start of the window depends on the value's name, and on an input of the
graph that is a hash of the other inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any
from zlib import crc32

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.rewrite import static_shape
from webbuild.precision.fp16_backends.graph_builder import GraphBuilder

INPUT = "error/draw"
_WINDOWS = 1 << 15
_LARGEST = 1 << 22
"""Maximum size of a window: larger values repeat it along their first axes."""


class ErrorDraws:
    """The draws of one graph; adds an input to it."""

    def __init__(self, graph: ir.Graph) -> None:
        self._graph = graph
        self._largest = 1
        self._numbers = ir.Value(name="error/numbers", type=ir.TensorType(ir.DataType.FLOAT))
        self._start = ir.Value(name=INPUT, shape=ir.Shape([1]), type=ir.TensorType(ir.DataType.INT64))
        graph.inputs.append(self._start)

    def draw(self, value: ir.Value, build: GraphBuilder, *, alike: bool = False) -> ir.Value:
        """Return numbers that broadcast to a value: one per element, or with `alike` one sign for all elements."""
        shape = static_shape(value)
        if shape is None and not alike:
            return build.op("RandomUniformLike", value, low=-1.0, high=1.0, seed=float(crc32(_name(value)) % _WINDOWS))
        sizes = [1] if alike or shape is None else list(shape)
        for axis in range(len(sizes)):
            if prod(sizes) > _LARGEST:
                sizes[axis] = 1
        count = prod(sizes)
        self._largest = max(self._largest, count)
        start = build.op("Add", self._start, build.constant(np.array([crc32(_name(value)) % _WINDOWS], np.int64)))
        end = build.op("Add", start, build.constant(np.array([count], np.int64)))
        numbers = build.op("Slice", self._numbers, start, end)
        if alike:
            return build.op("Sign", numbers)
        return build.op("Reshape", numbers, build.constant(np.array(sizes, np.int64)))

    def finish(self) -> None:
        """Add the constant of random numbers, now that its size is known."""
        drawn = np.random.default_rng(0).uniform(-1, 1, 2 * _WINDOWS + self._largest).astype(np.float32)
        self._numbers.const_value = ir.tensor(drawn, name=self._numbers.name)
        self._numbers.shape = ir.Shape(drawn.shape)
        self._graph.register_initializer(self._numbers)


def draw_input(feeds: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.int64]]:
    """Return the additional input of a graph with draws, from its other inputs."""
    checksum = 0
    for name in sorted(feeds):
        checksum = crc32(np.ascontiguousarray(feeds[name]).tobytes(), checksum)
    return {INPUT: np.array([checksum % _WINDOWS], np.int64)}


def _name(value: ir.Value) -> bytes:
    return (value.name or "").encode()
