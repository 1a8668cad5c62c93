"""A Conv padded only at the end: 1-D and 2-D, with dilations and strides, weights stored and fed."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.workarounds.pad_conv_kernel import PadConvKernel


@given(
    kernel=st.lists(st.integers(1, 4), min_size=1, max_size=2),
    as_large=st.booleans(),
    rule=st.sampled_from(("NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")),
    bias=st.booleans(),
    stored=st.booleans(),
    named=st.booleans(),
    opset=st.sampled_from((11, 17)),
    data=st.data(),
)
def test_a_conv_with_pads_at_its_end(
    kernel: list[int], as_large: bool, rule: str, bias: bool, stored: bool, named: bool, opset: int, data: st.DataObject
) -> None:
    rank = len(kernel)

    def each(low: int, high: int) -> list[int]:
        return data.draw(st.lists(st.integers(low, high), min_size=rank, max_size=rank))

    sizes = kernel if as_large else each(1, 6)
    attributes: dict[str, object] = {"strides": each(1, 3), "dilations": each(1, 3)}
    if rule.startswith("SAME"):
        del attributes["dilations"]  # ONNX Runtime does not accept both
    if rule == "NOTSET":
        attributes["pads"] = [*([0] * rank), *each(0, 3)]
    else:
        attributes["auto_pad"] = rule
    if named:
        attributes["kernel_shape"] = kernel
    for name in data.draw(st.sets(st.sampled_from(("dilations", "strides")))):
        attributes.pop(name, None)
    generator = np.random.default_rng(sum(kernel))
    arrays = {
        "x": generator.standard_normal((2, 3, *sizes)).astype(np.float32),
        "w": generator.standard_normal((4, 3, *kernel)).astype(np.float32),
        "b": generator.standard_normal(4).astype(np.float32),
    }
    names = ["x", "w", "b"] if bias else ["x", "w"]
    held = {name for name in ("w", "b") if name in names and (stored or name == "b")}
    feeds = {name: arrays[name] for name in names if name not in held}
    spread = attributes.get("dilations", [1] * rank)
    pads = attributes.get("pads", [0] * 2 * rank)
    spans = [d * (k - 1) + 1 for d, k in zip(spread, kernel, strict=True)]  # type: ignore[call-overload]
    if rule in ("NOTSET", "VALID"):
        ends = pads[rank:]  # type: ignore[index]
        assume(all(size + end >= span for size, end, span in zip(sizes, ends, spans, strict=True)))
    node = helper.make_node("Conv", names, ["y"], **attributes)  # type: ignore[arg-type]
    model = model_of([node], feeds, opset, {name: arrays[name] for name in held})
    assume(fires(model, PadConvKernel))
    assert_same(model, PadConvKernel, feeds, PadConvKernel.tolerance)
