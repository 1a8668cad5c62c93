"""The head is exact or reports that it is not: chains, capacity, scores and overlaps at the thresholds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.passes.heads import ANCHORS, NAMES, ROWS, Detection, Head, apart, chain, head, raw_output
from webbuild.passes.nms.static_nms import MAX_ROUNDS
from webbuild.passes.nms.status_output import HEAD_STATUS_KEY, candidate_capacity

EACH = pytest.mark.parametrize("name", NAMES)
CAPACITY = candidate_capacity(ANCHORS, ROWS)


@EACH
def test_the_model_states_the_capacity_and_the_rounds_of_its_head(name: str) -> None:
    stated = json.loads(head(name).plan.graphs["webgpu"].metadata_props[HEAD_STATUS_KEY])
    assert stated == {"output": "head_status", "capacity": CAPACITY, "rounds": MAX_ROUNDS}
    assert HEAD_STATUS_KEY not in head(name).plan.graphs["wasm"].metadata_props


@EACH
@pytest.mark.parametrize("length", [2, 3, MAX_ROUNDS - 1, MAX_ROUNDS])
def test_a_chain_no_longer_than_the_rounds_is_settled(name: str, length: int) -> None:
    raw = raw_output(chain(length))
    answer = head(name).run("webgpu", raw)
    np.testing.assert_array_equal(answer.rows, head(name).original(raw))
    assert answer.converged
    assert len(answer.found) == (length + 1) // 2


@EACH
@pytest.mark.parametrize("length", [MAX_ROUNDS + 2, 40])
def test_a_longer_chain_is_reported_and_the_cpu_graph_is_right(name: str, length: int) -> None:
    raw = raw_output(chain(length))
    rows = head(name).original(raw)
    answer = head(name).run("webgpu", raw)
    assert not answer.converged
    assert not np.array_equal(answer.rows, rows)
    assert answer.candidates == length
    np.testing.assert_array_equal(head(name).run("wasm", raw).rows, rows)


@EACH
def test_as_many_candidates_as_the_capacity_are_exact(name: str) -> None:
    raw = raw_output([Detection(b, 0.3 + 0.001 * i) for i, b in enumerate(apart(CAPACITY))])
    answer = head(name).run("webgpu", raw)
    assert (answer.converged, answer.candidates) == (True, CAPACITY)
    np.testing.assert_array_equal(answer.rows, head(name).original(raw))


@EACH
def test_one_candidate_more_than_the_capacity_is_reported(name: str) -> None:
    crowd = [Detection((10, 10, 20, 20), 0.9 - 0.001 * i) for i in range(CAPACITY)]
    raw = raw_output([*crowd, Detection((100, 100, 120, 120), 0.3)])
    answer = head(name).run("webgpu", raw)
    rows = head(name).original(raw)
    assert answer.candidates == CAPACITY + 1
    assert len(answer.found) == 1
    assert (rows[:, 4] > 0).sum() == 2
    np.testing.assert_array_equal(head(name).run("wasm", raw).rows, rows)


@EACH
def test_candidates_are_counted_over_all_anchors(name: str) -> None:
    raw = raw_output([Detection((10, 10, 20, 20), 0.5)] * ANCHORS)
    assert head(name).run("webgpu", raw).candidates == ANCHORS


@EACH
@pytest.mark.parametrize(("score", "rows"), [(0.25, 0), (float(np.nextafter(np.float32(0.25), np.float32(1))), 1)])
def test_a_score_at_the_threshold_is_no_candidate_and_one_step_above_it_is(name: str, score: float, rows: int) -> None:
    raw = raw_output([Detection((10, 10, 20, 20), score)])
    answer = head(name).run("webgpu", raw)
    assert (len(answer.found), answer.candidates) == (rows, rows)
    np.testing.assert_array_equal(answer.rows, head(name).original(raw))
    np.testing.assert_array_equal(answer.rows, head(name).run("wasm", raw).rows)


@EACH
@pytest.mark.parametrize(("iou", "rows"), [(0.5, 2), (float(np.nextafter(np.float32(0.5), np.float32(0))), 1)])
def test_an_overlap_at_the_threshold_stays_and_one_step_above_it_goes(name: str, iou: float, rows: int) -> None:
    size = 144.0  # at this size the IoU is exactly 0.5 in float32, also after the exports have scaled the boxes
    raw = raw_output([Detection((0, 0, size, size), 0.5), Detection((0, 0, size, size / 2), 0.6)])
    want = Head(name, iou=iou).original(raw)
    assert (want[:, 4] > 0).sum() == rows
    np.testing.assert_array_equal(head(name).run("webgpu", raw, iou=iou).rows, want)
    np.testing.assert_array_equal(head(name).run("wasm", raw, iou=iou).rows, want)


@EACH
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("channel", [0, 2, 4])
def test_a_value_that_is_not_finite_does_no_more_harm_than_in_the_export(name: str, value: float, channel: int) -> None:
    raw = raw_output([Detection(b, 0.5 + 0.01 * i) for i, b in enumerate(apart(4))])
    raw[0, channel, 2] = value
    want = head(name).original(raw)
    np.testing.assert_array_equal(head(name).run("webgpu", raw).rows, want)
    np.testing.assert_array_equal(head(name).run("wasm", raw).rows, want)
