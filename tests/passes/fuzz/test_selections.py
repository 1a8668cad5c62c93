"""Both fixed-shape forms of any NonMaxSuppression give the original's rows, for any input."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.passes.selections import crowd
from tests.passes.test_selections import CASES, SIZES, feeds_of, graphs, same


@given(case=st.sampled_from(CASES), seed=st.integers(0, 2**32 - 1), count=st.integers(0, 200))
def test_random_crowds(case: tuple[str, str], seed: int, count: int) -> None:
    form, size = case
    batches, classes, anchors, most = SIZES[size]
    feeds = feeds_of(form, *crowd(seed, batches, classes, anchors, count), most)
    every = graphs(form, size)
    want = every.original(feeds)
    same(want, every.run("wasm", feeds), "wasm")
    got = every.run("webgpu", feeds)
    if got["head_status"][0] == 1:
        same(want, got, "webgpu")
