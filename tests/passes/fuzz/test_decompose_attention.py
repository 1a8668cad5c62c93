"""Attention written as two products and a Softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_attention import DecomposeAttention

FEW = st.integers(1, 5)


@given(
    flat=st.booleans(),
    groups=st.integers(1, 3),
    shared=st.integers(1, 3),
    sizes=st.tuples(FEW, FEW, FEW, FEW),
    past=st.integers(0, 3),
    mask=st.sampled_from((None, "bool", "float")),
    seed=st.integers(0, 999),
    data=st.data(),
)
def test_of_any_form(
    flat: bool,
    groups: int,
    shared: int,
    sizes: tuple[int, int, int, int],
    past: int,
    mask: str | None,
    seed: int,
    data: st.DataObject,
) -> None:
    rows, keys, head, value = sizes
    attributes: dict[str, Any] = {"is_causal": data.draw(st.integers(0, 1))}
    if past and attributes["is_causal"]:
        keys = rows
    draw = np.random.default_rng(seed)

    def split(heads: int, length: int, size: int) -> np.ndarray:
        shape = (2, length, heads * size) if flat else (2, heads, length, size)
        return draw.normal(size=shape).astype(np.float32)

    feeds = {
        "q": split(groups * shared, rows, head),
        "k": split(groups, keys, head),
        "v": split(groups, keys, value),
    }
    names = [*feeds]
    if flat:
        attributes |= {"q_num_heads": groups * shared, "kv_num_heads": groups}
    if data.draw(st.booleans()):
        attributes["scale"] = 0.7
    if data.draw(st.booleans()):
        attributes["softcap"] = 1.5
    if mask is not None:
        shape = data.draw(st.sampled_from(((rows, keys + past), (2, 1, rows, keys + past), (1, 1, rows, keys + past))))
        seen = draw.random(shape) < 0.5
        feeds["m"] = seen if mask == "bool" else np.where(seen, draw.normal(size=shape), -np.inf).astype(np.float32)
    names.append("m" if mask is not None else "")
    if past:
        feeds["pk"] = draw.normal(size=(2, groups, past, head)).astype(np.float32)
        feeds["pv"] = draw.normal(size=(2, groups, past, value)).astype(np.float32)
        names += ["pk", "pv"]
    opset = data.draw(st.sampled_from((23, 24)))
    if opset == 24 and not past and not attributes["is_causal"] and data.draw(st.booleans()):
        feeds["n"] = draw.integers(1, keys, 2, endpoint=True)
        names += ["", "", "n"]
    node = onnx.helper.make_node("Attention", names, ["y", "nk", "nv"] if past else ["y"], **attributes)
    assert_same(model_of([node], feeds, opset, like="q" if value == head else None), DecomposeAttention, feeds, 1e-5)


def test_half_precision() -> None:
    x = np.random.default_rng(0).normal(size=(1, 2, 5, 4)).astype(np.float16)
    node = onnx.helper.make_node("Attention", ["x", "x", "x"], ["y"])
    assert_same(model_of([node], {"x": x}, 23), DecomposeAttention, {"x": x}, 4e-3)
