"""NumPy's NMS after a graph: the cases shared with the runtime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET
from numpy.typing import NDArray

from webbuild.manifest.output import Output
from webbuild.manifest.suppression import MultiLabel, Suppression
from webbuild.runners.suppression import apply_suppression

CASES = sorted((Path(__file__).parents[2] / "conformance" / "suppression").glob("*.json"))


def test_there_are_cases() -> None:
    assert len(CASES) > 8


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_the_boxes_that_are_kept(file: Path) -> None:
    case: dict[str, Any] = json.loads(file.read_text("utf-8"))
    count, most = len(case["boxes"]), case["maxDetections"]
    labels = case.get("labels")
    spec = Suppression(
        outputs=[
            Output(name="found", dtype="float32", shape=[1, most + 1, 2]),
            Output(name="label", dtype="int64", shape=[most + 1]),
        ],
        boxes="boxes",
        scores="scores",
        rows="rows",
        confidence="confidence",
        iou="iou",
        max_detections=most,
        rotated=case.get("rotated", UNSET),
        max_candidates=case.get("maxCandidates", UNSET),
        multi_label=MultiLabel(
            count=len(case["scores"]),
            max_detections=labels["maxDetections"],
            order=labels["order"],
            score_column=1,
            label_column=2,
        )
        if labels
        else UNSET,
        row_count=Output(name="number", dtype="int64", shape=[1]),
    )
    numbers = np.arange(1, count + 1, dtype=np.float32)  # a row is the 1-based index of its anchor
    scores = np.array(case["scores"], np.float32)
    outputs: dict[str, NDArray[Any]] = {
        "boxes": np.array(case["boxes"], np.float32).reshape(count, 5 if case.get("rotated") else 4),
        "scores": scores.reshape(-1),
        "rows": np.stack([numbers, np.zeros(count) if labels else scores, np.zeros(count)], 1),
        "other": np.ones(3),
    }
    feeds = {name: np.array([case[name]], np.float32) for name in ("confidence", "iou")}
    with np.errstate(invalid="ignore", divide="ignore"):
        made = apply_suppression(spec, outputs, feeds)
    assert set(made) == {"found", "label", "number", "other"}
    want = case["want"] if labels else [[0, anchor] for anchor in case["want"]]
    rows = [[anchor + 1, scores.reshape(-1, count)[label, anchor]] for label, anchor in want]
    np.testing.assert_array_equal(made["found"], [[*rows, *[[0, 0]] * (most + 1 - len(rows))]])
    assert made["label"].tolist() == [*(label for label, _ in want), *[0] * (most + 1 - len(want))]
    assert made["number"].tolist() == [len(want)]
