"""3-D transposed convolutions written as convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.conv_transpose_3d_to_conv import ConvTranspose3DToConv

THREE = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))


@given(
    size=THREE,
    kernel=THREE,
    strides=THREE,
    dilations=st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 2)),
    pads=st.lists(st.integers(0, 2), min_size=6, max_size=6),
    extra=st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)),
    groups=st.integers(1, 2),
    bias=st.booleans(),
    seed=st.integers(0, 999),
)
def test_they_compute_the_same(
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: list[int],
    extra: tuple[int, ...],
    groups: int,
    bias: bool,
    seed: int,
) -> None:
    assume(all(more < stride for more, stride in zip(extra, strides, strict=True)))
    for axis in range(3):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        assume(strides[axis] * (size[axis] - 1) + reach + extra[axis] - pads[axis] - pads[axis + 3] > 0)
    attributes = {"strides": strides, "dilations": dilations, "pads": pads, "output_padding": extra}
    compare(size, kernel, groups, bias, seed, attributes)


@given(THREE, THREE, st.integers(1, 2), st.booleans(), st.integers(0, 999))
def test_blocks(size: tuple[int, ...], kernel: tuple[int, ...], groups: int, bias: bool, seed: int) -> None:
    compare(size, kernel, groups, bias, seed, {"strides": kernel})


@given(THREE, THREE, THREE, st.sampled_from(("SAME_UPPER", "SAME_LOWER")), st.integers(0, 999))
def test_automatic_pads(
    size: tuple[int, ...], kernel: tuple[int, ...], strides: tuple[int, ...], pads: str, seed: int
) -> None:
    assume(all(large >= stride for large, stride in zip(kernel, strides, strict=True)))
    compare(size, kernel, 1, False, seed, {"strides": strides, "auto_pad": pads})


def compare(
    size: tuple[int, ...], kernel: tuple[int, ...], groups: int, bias: bool, seed: int, attributes: dict[str, Any]
) -> None:
    draw = np.random.default_rng(seed)
    feeds = {"x": draw.uniform(-1, 1, (2, 4, *size)).astype(np.float32)}
    weights = {"w": draw.uniform(-1, 1, (4, 3, *kernel)).astype(np.float32)}
    if bias:
        weights["b"] = draw.uniform(-1, 1, 3 * groups).astype(np.float32)
    node = onnx.helper.make_node("ConvTranspose", ["x", *weights], ["y"], group=groups, **attributes)
    assert_same(model_of([node], feeds, 17, weights), ConvTranspose3DToConv, feeds, 1e-5)
