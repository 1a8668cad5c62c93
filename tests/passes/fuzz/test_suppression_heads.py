"""Fixed-shape heads on the tails of real exports give the export's rows, for upright and rotated boxes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.passes import heads, rotated_heads, test_head_trials, test_rotated_heads
from webbuild.passes.nms.status_output import candidate_capacity

_SEEDS = st.integers(0, 2**32 - 1)


@given(name=st.sampled_from(heads.NAMES), seed=_SEEDS)
def test_upright_crowds(name: str, seed: int) -> None:
    raw, head = heads.raw_output(test_head_trials.crowd(seed), seed), heads.head(name)
    _same(head, raw, candidate_capacity(heads.ANCHORS, heads.ROWS))


@given(name=st.sampled_from(rotated_heads.NAMES), seed=_SEEDS)
def test_rotated_crowds(name: str, seed: int) -> None:
    raw, head = rotated_heads.raw_output(test_rotated_heads.crowd(seed), seed), rotated_heads.head(name)
    _same(head, raw, rotated_heads.CAPACITY)


def _same(head: heads.Head, raw: heads.Rows, room: int) -> None:
    want = head.original(raw)
    np.testing.assert_array_equal(head.run("wasm", raw).rows, want)
    answer = head.run("webgpu", raw)
    if answer.converged and answer.candidates <= room:
        np.testing.assert_array_equal(answer.rows, want)
