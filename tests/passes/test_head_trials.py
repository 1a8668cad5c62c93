"""Random boxes, at the exported thresholds and at others, compared with the export with those thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.passes.heads import ANCHORS, NAMES, ROWS, Detection, Head, head, raw_output
from webbuild.passes.nms.status_output import candidate_capacity

EACH = pytest.mark.parametrize("name", NAMES)
TRIALS = 200


def crowd(seed: int) -> list[Detection]:
    """Return clusters of boxes; coarse corners and scores make ties, equal boxes and boxes without area."""
    draw = np.random.default_rng(seed)
    people = int(draw.integers(1, 12))
    centres, sizes = draw.uniform(0, 192, (people, 2)), draw.uniform(8, 60, (people, 2))
    count = int(draw.choice([0, 1, 10, 60, 150, 250, 300]))
    steps = int(draw.choice([8, 100, 10**6]))
    found = []
    for _ in range(count):
        person = int(draw.integers(people))
        middle = centres[person] + draw.normal(0, 3, 2)
        half = sizes[person] * draw.uniform(0.8, 1.2, 2) / 2
        corners = [*(middle - half), *(middle + half)]
        if steps < 100:
            corners = [round(c / 8) * 8 for c in corners]
        score = float(np.round(draw.uniform(0.2, 1) * steps) / steps)
        x1, y1, x2, y2 = (float(c) for c in corners)
        found.append(Detection((x1, y1, x2, y2), score, int(draw.integers(3))))
    return found


@EACH
def test_random_crowds_give_the_rows_of_the_export(name: str) -> None:
    exact = reported = rows_found = 0
    for seed in range(TRIALS):
        raw = raw_output(crowd(seed), seed)
        want = head(name).original(raw)
        np.testing.assert_array_equal(head(name).run("wasm", raw).rows, want, f"seed {seed}")
        answer = head(name).run("webgpu", raw)
        if answer.converged and answer.candidates <= candidate_capacity(ANCHORS, ROWS):
            np.testing.assert_array_equal(answer.rows, want, f"seed {seed}")
            exact += 1
            rows_found += len(answer.found)
        else:
            reported += 1
    assert exact + reported == TRIALS
    assert exact > 0.7 * TRIALS
    assert reported > 0, "no trial was beyond the head, so its report was not tried"
    assert rows_found > 5 * exact


@EACH
@pytest.mark.parametrize(
    ("confidence", "iou"), [(0.5, 0.45), (0.01, 0.9), (0.9, 0.1), (0.3, 0.0), (0.0, 1.0), (1.0, 0.7)]
)
def test_thresholds_given_at_run_time_act_as_if_exported(name: str, confidence: float, iou: float) -> None:
    exported = Head(name, confidence, iou)
    for seed in range(8):
        raw = raw_output(crowd(seed)[:200], seed)
        want = exported.original(raw)
        np.testing.assert_array_equal(head(name).run("wasm", raw, confidence, iou).rows, want)
        answer = head(name).run("webgpu", raw, confidence, iou)
        if answer.converged and answer.candidates <= candidate_capacity(ANCHORS, ROWS):
            np.testing.assert_array_equal(answer.rows, want)


@EACH
def test_the_defaults_are_the_exported_thresholds(name: str) -> None:
    for model in Head(name, 0.35, 0.6).plan.graphs.values():
        assert model.metadata_props["webbuild.option.confidence"] == "confidence=0.35"
        assert model.metadata_props["webbuild.option.iou"] == "iou=0.6"
