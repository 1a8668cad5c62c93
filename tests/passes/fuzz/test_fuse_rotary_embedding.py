"""Rotary embeddings of halves or neighbours, with tokens that are not rotated and a factor, and near misses."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.fusion.fuse_rotary_embedding import FuseRotaryEmbedding

make = helper.make_node


def turned(source: str, half: int, neighbours: bool, opset: int, second: bool) -> list[onnx.NodeProto]:
    """Return nodes that compute `t`: the elements of each pair exchanged, the first or the second of them negated."""
    if neighbours:
        one = make("Slice", [source, "zero", "end", "last", "two"], ["first"])
        other = make("Slice", [source, "one", "end", "last", "two"], ["other"])
        sign = make("Neg", ["first" if second else "other"], ["n"])
        parts = ["other", "n"] if second else ["n", "first"]
        stack = [make("Unsqueeze", [part, "new"], [f"u{at}"]) for at, part in enumerate(parts)]
        if opset < 13:
            stack = [make("Unsqueeze", [part], [f"u{at}"], axes=[-1]) for at, part in enumerate(parts)]
        join = make("Concat", ["u0", "u1"], ["stacked"], axis=-1)
        return [one, other, sign, *stack, join, make("Reshape", ["stacked", "sizes"], ["t"])]
    one = make("Slice", [source, "zero", "half", "last"], ["first"])
    other = make("Slice", [source, "half", "end", "last"], ["other"])
    sign = make("Neg", ["first" if second else "other"], ["n"])
    return [one, other, sign, make("Concat", ["other", "n"] if second else ["n", "first"], ["t"], axis=-1)]


@given(
    heads=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    tokens=st.integers(1, 4),
    half=st.integers(1, 3),
    neighbours=st.booleans(),
    kept=st.integers(0, 2),
    kept_last=st.sampled_from((False, False, True)),
    wrong_sign=st.sampled_from((False, False, False, True)),
    table=st.sampled_from(("tokens", "tokens", "by head", "one row", "one number", "pairs differ", "of rank 4")),
    factor=st.sampled_from((None, None, (), (1,), (1, 1, 1, 1, 1), "by token")),
    opset=st.sampled_from((11, 13, 17)),
    swaps=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_the_turned_stay(
    heads: list[int],
    tokens: int,
    half: int,
    neighbours: bool,
    kept: int,
    kept_last: bool,
    wrong_sign: bool,
    table: str,
    factor: tuple[int, ...] | str | None,
    opset: int,
    swaps: list[bool],
) -> None:
    generator, depth = np.random.default_rng(tokens), 2 * half
    pairs = {"one row": (1, half), "one number": (1, 1)}.get(table, (tokens, half))
    angles = [generator.uniform(-1, 1, pairs).astype(np.float32) for _ in range(2)]
    if table == "pairs differ":
        wide = [generator.uniform(-1, 1, (tokens, depth)).astype(np.float32) for _ in range(2)]
    elif table == "one number":
        wide = angles
    else:
        wide = [np.repeat(each, 2, -1) if neighbours else np.concatenate([each, each], -1) for each in angles]
    if table == "by head":
        wide = [each * np.arange(1, heads[-1] + 1, dtype=np.float32)[:, None, None] for each in wide]
    if table == "of rank 4":
        wide = [each[None, None] for each in wide]
        assume(not kept or len(heads) > 1)  # the tokens that are not rotated have as many axes
    whole = [*heads, tokens + kept, depth]
    x = generator.uniform(-1, 1, whole).astype(np.float32)
    rank = len(whole)
    cut = (0, tokens, tokens + kept) if kept_last else (kept, tokens + kept, kept)
    weights = {
        "cos": wide[0],
        "sin": wide[1],
        **{name: np.array([number]) for name, number in (("zero", 0), ("one", 1), ("two", 2), ("end", 2**62))},
        "half": np.array([half]),
        "last": np.array([rank - 1]),
        "new": np.array([-1]),
        "sizes": np.array([*heads, tokens, depth]),
        "along": np.array([rank - 2]),
        "from": np.array([cut[0]]),
        "to": np.array([cut[1]]),
        "split": np.array([cut[2]]),
    }
    nodes, source = [], "x"
    if kept:
        ends = ["to", "end"] if kept_last else ["zero", "split"]
        nodes = [make("Slice", ["x", "from", "to", "along"], ["rest"]), make("Slice", ["x", *ends, "along"], ["token"])]
        source = "rest"

    def swapped(at: int, *names: str) -> list[str]:
        return list(names[::-1] if swaps[at] else names)

    nodes += [
        make("Mul", swapped(0, source, "cos"), ["straight"]),
        *turned(source, half, neighbours, opset, wrong_sign),
        make("Mul", swapped(1, "t", "sin"), ["crossed"]),
        make("Add", swapped(2, "straight", "crossed"), ["d"]),
    ]
    value = "d"
    if kept:
        nodes.append(make("Concat", ["d", "token"] if kept_last else ["token", "d"], ["joined"], axis=rank - 2))
        value = "joined"
    if factor is not None:
        shape = (tokens + kept, 1) if isinstance(factor, str) else factor
        weights["factor"] = generator.uniform(0.5, 2, shape).astype(np.float32)
        nodes.append(make("Mul", swapped(3, value, "factor"), ["scaled"]))
        value = "scaled"
    model = model_of([*nodes, make("Neg", [value], ["y"])], {"x": x}, opset, weights)
    if table in ("tokens", "one row", "one number") and not wrong_sign:
        assert fires(model, FuseRotaryEmbedding)
    assume(fires(model, FuseRotaryEmbedding))
    assert_same(model, FuseRotaryEmbedding, {"x": x}, FuseRotaryEmbedding.tolerance)
