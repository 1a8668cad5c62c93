"""Where pools found their largest numbers, and the way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_maxpool_indices import DecomposeMaxPoolIndices


@given(
    st.integers(1, 3),
    st.data(),
    st.sampled_from(("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")),
    st.integers(0, 1),
    st.integers(0, 1),
    st.booleans(),
)
def test_positions(rank: int, data: st.DataObject, pads: str, ceil: int, order: int, ties: bool) -> None:
    def each(low: int, high: int, count: int = rank) -> list[int]:
        return data.draw(st.lists(st.integers(low, high), min_size=count, max_size=count))

    size, kernel, strides, dilations = each(3, 7), each(1, 3), each(1, 3), each(1, 2)
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": strides, "storage_order": order}
    if pads == "NOTSET":
        around = [min(pad, large - 1) for pad, large in zip(each(0, 2, 2 * rank), kernel * 2, strict=True)]
        attributes |= {"pads": around, "dilations": dilations, "ceil_mode": ceil}
    else:
        attributes |= {"auto_pad": pads}
        assume(all(large >= stride for large, stride in zip(kernel, strides, strict=True)))
    reach = [d * (k - 1) + 1 for d, k in zip(attributes.get("dilations", [1] * rank), kernel, strict=True)]
    assume(all(length >= far for length, far in zip(size, reach, strict=True)))
    if ceil and pads == "NOTSET":  # or its last window reads nothing but padding
        assume(not any(attributes["pads"]) and all(far >= step for far, step in zip(reach, strides, strict=True)))
    draw = np.random.default_rng(data.draw(st.integers(0, 999)))
    drawn = draw.integers(0, 3, (2, 2, *size)) if ties else draw.standard_normal((2, 2, *size))
    feeds = {"x": drawn.astype(np.float32)}
    model = model_of([onnx.helper.make_node("MaxPool", ["x"], ["m", "y"], **attributes)], feeds, 17)
    assert_same(model, DecomposeMaxPoolIndices, feeds)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.booleans(), st.integers(0, 999))
def test_the_way_back(batch: int, channels: int, block: int, fed: bool, seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = (batch, channels, 3, 2)
    attributes: dict[str, Any] = {"kernel_shape": [block, block], "strides": [block, block]}
    size = batch * channels * 6 * block * block
    feeds: dict[str, np.ndarray] = {"x": draw.standard_normal(shape).astype(np.float32)}
    places = draw.permutation(size)[: batch * channels * 6].reshape(shape).astype(np.int64)
    weights = {} if fed else {"i": places}
    feeds |= {"i": places} if fed else {}
    node = onnx.helper.make_node("MaxUnpool", ["x", "i"], ["y"], **attributes)
    assert_same(model_of([node], feeds, 17, weights), DecomposeMaxPoolIndices, feeds)
