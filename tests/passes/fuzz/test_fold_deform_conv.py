"""A deformable convolution that an exporter wrote as Gathers, rewritten as GridSample and Conv."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.fold_deform_conv import FoldDeformConv

CHANNELS = 4
Arrays = dict[str, NDArray[Any]]


class Graph:
    """Nodes in the order in which they are added, and their constants."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: Arrays = {}

    def op(self, kind: str, *inputs: Any, output: str = "", **attributes: Any) -> str:
        """Add a node whose inputs are names or constants."""
        names = [each if isinstance(each, str) else self.const(each) for each in inputs]
        result = output or f"v{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, names, [result], **attributes))
        return result

    def const(self, array: Any) -> str:
        name = f"c{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        return name

    def half(self, value: str, axis: int) -> str:
        return self.op("Slice", value, np.array([axis]), np.array([axis + 1]), np.array([3]))


def unrolled(base: NDArray[Any], padded: tuple[int, ...], kernel: tuple[int, int], flat: bool, masked: bool) -> Graph:
    """Write a deformable convolution of `x`, `offset`, `w` and perhaps `mask`; `base` is [1, 1, T, 2, h, w]."""
    batch, groups, held, height, width = padded
    taps, _, rows, columns = (int(size) for size in base.shape[2:])
    whole, add = np.array([batch, groups, held, taps, rows, columns]), Graph()
    moved = add.op("Reshape", "offset", np.array([batch, groups, taps, 2, rows, columns]))
    places = add.op("Add", base, moved)
    below = add.op("Floor", places)
    index, share = add.op("Cast", below, to=onnx.TensorProto.INT64), add.op("Sub", places, below)
    at: dict[tuple[int, bool], str] = {}
    weights: dict[tuple[int, bool], str] = {}
    for axis, size in enumerate((height, width)):
        lower, part = add.half(index, axis), add.half(share, axis)
        for after, place in ((False, lower), (True, add.op("Add", lower, np.array(1)))):
            at[axis, after] = add.op("Clip", place, np.array(0), np.array(size - 1))
            weights[axis, after] = part if after else add.op("Sub", np.float32(1), part)
    above, left, down, right = padding(kernel)
    pads = np.array([0, 0, above, left, 0, 0, down, right])
    picture = add.op("Pad", "x", pads)
    terms = []
    for corner in ((False, False), (True, True), (False, True), (True, False)):
        y, x = (at[axis, corner[axis]] for axis in (0, 1))
        weight = add.op("Mul", weights[1, corner[1]], weights[0, corner[0]])
        weight = add.op("Reshape", weight, np.array([batch, groups, 1, taps, rows, columns]))
        if flat:
            line = np.array([batch, groups, 1, taps * rows * columns])
            above_it = add.op("Mul", add.op("Reshape", y, line), np.array(width))
            place = add.op("Add", above_it, add.op("Reshape", x, line))
            place = add.op("Expand", place, np.array([batch, groups, held, taps * rows * columns]))
            pixels = add.op("Reshape", picture, np.array([batch, groups, held, height * width]))
            found = add.op("GatherElements", pixels, place, axis=3)
        else:
            pair = np.array([batch, groups, taps * rows * columns, 1])
            place = add.op("Concat", add.op("Reshape", y, pair), add.op("Reshape", x, pair), axis=3)
            pixels = add.op("Reshape", picture, np.array(padded))
            pixels = add.op("Transpose", pixels, perm=[0, 1, 3, 4, 2])
            found = add.op("GatherND", pixels, place, batch_dims=2)
            found = add.op("Transpose", found, perm=[0, 1, 3, 2])
        terms.append(add.op("Mul", weight, add.op("Reshape", found, whole)))
    total = add.op("Sum", *terms)
    if masked:
        mask = add.op("Reshape", "mask", np.array([batch, groups, 1, taps, rows, columns]))
        total = add.op("Mul", total, mask)
    total = add.op("Reshape", total, np.array([batch, groups * held, *kernel, rows, columns]))
    total = add.op("Transpose", total, perm=[0, 1, 4, 2, 5, 3])
    side_by_side = np.array([batch, groups * held, rows * kernel[0], columns * kernel[1]])
    add.op("Conv", add.op("Reshape", total, side_by_side), "w", output="y", strides=kernel)
    return add


def padding(kernel: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return different paddings above, left, below and right."""
    return 1, 2, 1 + kernel[0] % 2, 1


@given(
    batch=st.integers(1, 2),
    groups=st.sampled_from([1, 2, 4]),
    size=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    target=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    flat=st.booleans(),
    masked=st.booleans(),
    reach=st.sampled_from([0.5, 3.0, 1000.0]),
    whole=st.booleans(),
    opset=st.sampled_from([13, 16, 20]),
    seed=st.integers(0, 999),
)
def test_they_compute_the_same(
    batch: int,
    groups: int,
    size: tuple[int, int],
    target: tuple[int, int],
    kernel: tuple[int, int],
    flat: bool,
    masked: bool,
    reach: float,
    whole: bool,
    opset: int,
    seed: int,
) -> None:
    assume(reach < 1000 or target[0] * target[1] > 4)
    draw, taps = np.random.default_rng(seed), kernel[0] * kernel[1]
    above, left, down, right = padding(kernel)
    padded = (batch, groups, CHANNELS // groups, size[0] + above + down, size[1] + left + right)
    # [T, 2, h, w]: a tap's position depends on the row or on the column alone
    down_by = draw.integers(0, 4, (taps, 1, target[0], 1)) + np.zeros((1, 1, 1, target[1]))
    right_by = draw.integers(0, 4, (taps, 1, 1, target[1])) + np.zeros((1, 1, target[0], 1))
    base = np.concatenate([down_by, right_by], 1)[None, None].astype(np.float32)
    graph = unrolled(base, padded, kernel, flat, masked)
    moved = draw.uniform(-reach, reach, (batch, groups * taps * 2, *target)) * draw.integers(0, 2, (batch, 1, *target))
    feeds = {
        "x": draw.uniform(-1, 1, (batch, CHANNELS, *size)).astype(np.float32),
        "offset": (np.round(moved) if whole else moved).astype(np.float32),
    }
    if masked:
        feeds["mask"] = draw.uniform(0, 1, (batch, groups * taps, *target)).astype(np.float32)
    graph.weights["w"] = draw.uniform(-1, 1, (2, CHANNELS, *kernel)).astype(np.float32)
    # A tap one row outside the image is 0, or 1e-7 if its position was rounded.
    assert_same(model_of(graph.nodes, feeds, opset, graph.weights), FoldDeformConv, feeds, 2e-5, terms=1.0)
