"""Models of a few bytes that expand to terabytes or run forever: each ends in an error within the limits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.helper import make_node

from tests import hostile
from tests.commands.test_limits import ENDLESS, limited
from tests.models import HEADER, parsed, save

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's"),
    pytest.mark.posix,
]

LARGE, BEYOND = 3 << 28, 1 << 50
"""Element counts: 3 GiB of data, and 4 PiB."""


def summed(*nodes: onnx.NodeProto, **weights: Any) -> onnx.ModelProto:
    """Return a model that adds the sum of `big`, which nodes compute from weights, to its input."""
    held = [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    total = [make_node("ReduceSum", ["big"], ["r"], keepdims=0), make_node("Cast", ["r"], ["f"], to=1)]
    return hostile.graph(*nodes, *total, make_node("Add", ["x", "f"], ["y"]), weights=held)


def doubled(first: str, times: int, **weights: Any) -> onnx.ModelProto:
    """Return a model that concatenates a tensor with itself this many times."""
    names = [first, *(f"v{index}" for index in range(times - 1)), "big"]
    nodes = (make_node("Concat", [names[i]] * 2, [names[i + 1]], axis=0) for i in range(times))
    return summed(*nodes, **weights)


ONE = np.ones(1, np.float32)
LOOP_OF_OUTPUTS = parsed(f"""{HEADER} g (float[2] x) => (float[m,2] y) <int64 n = {{{2**62}}}, bool t = {{1}}>
{{ z, y = Loop (n, t, x) <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e, float[2] f)
   {{ d = Identity (c) e = Add (a, a) f = Identity (a) }}> }}""")


def filled(size: int) -> dict[str, onnx.ModelProto]:
    return {
        "ConstantOfShape": summed(make_node("ConstantOfShape", ["s"], ["big"]), s=[size]),
        "Expand": summed(make_node("Expand", ["e", "s"], ["big"]), s=[size], e=ONE),
        "Tile": summed(make_node("Tile", ["e", "s"], ["big"]), s=[size], e=ONE),
        "Pad": summed(make_node("Pad", ["x", "p"], ["big"]), p=[0, size]),
        "Range": summed(make_node("Range", ["a", "b", "c"], ["big"]), a=0, b=size, c=1),
    }


UNFOLDING = {
    **{f"{name} of 3 GiB": model for name, model in filled(LARGE).items()},
    **{f"{name} of 4 PiB": model for name, model in filled(BEYOND).items()},
    "a weight by its size alone": hostile.adding(hostile.weight(LARGE)),
    "30 doublings of the input": doubled("x", 30),
    "30 doublings of a weight": doubled("e", 30, e=ONE),
    "3,000 doublings of the input": doubled("x", 3000),
    "3,000 doublings of a weight": doubled("e", 3000, e=ONE),
    "a loop without an end": ENDLESS,
    "a loop that keeps all it makes": LOOP_OF_OUTPUTS,
}

ERRORS = {
    "Tile of 4 PiB": "reference-run-failed",
    "a weight by its size alone": "invalid-model",
    "3,000 doublings of the input": "reference-session-failed",
    "3,000 doublings of a weight": "reference-session-failed",
}
"""Error codes of the models that do not exceed the memory limit."""


@pytest.mark.parametrize("name", list(UNFOLDING))
def test_a_model_that_unfolds_ends_in_an_error_within_its_limits(tmp_path: Path, name: str) -> None:
    path = save(UNFOLDING[name], tmp_path / "m.onnx")
    assert path.stat().st_size < 300_000
    time = ("--limit-time", "25") if UNFOLDING[name] is ENDLESS else ()  # all others end by themselves
    done = limited(path, "--limit-memory", "2", *time)
    assert done.code in (1, 2), done.stderr
    assert done.error == ERRORS.get(name, "time-limit-reached" if time else "memory-limit-reached"), done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["m.onnx"]
