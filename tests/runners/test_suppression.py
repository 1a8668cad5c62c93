"""The suppression behind a graph, in NumPy: the cases that the runtime answers for too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET
from numpy.typing import NDArray

from webbuild.manifest.suppression import Suppression
from webbuild.runners.suppression import apply_suppression

CASES = sorted((Path(__file__).parents[2] / "conformance" / "suppression").glob("*.json"))


def test_there_are_cases() -> None:
    assert len(CASES) > 8


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_the_boxes_that_are_kept(file: Path) -> None:
    case: dict[str, Any] = json.loads(file.read_text("utf-8"))
    count, most = len(case["scores"]), case["maxDetections"]
    spec = Suppression(
        output="found",
        shape=[1, most + 1, 2],
        boxes="boxes",
        scores="scores",
        rows="rows",
        confidence="confidence",
        iou="iou",
        max_detections=most,
        rotated=case.get("rotated", UNSET),
        max_candidates=case.get("maxCandidates", UNSET),
    )
    numbers = np.arange(1, count + 1, dtype=np.float32)  # a row is the number of its anchor from 1 on, twice
    outputs: dict[str, NDArray[Any]] = {
        "boxes": np.array(case["boxes"], np.float32).reshape(count, 5 if case.get("rotated") else 4),
        "scores": np.array(case["scores"], np.float32),
        "rows": np.stack([numbers, numbers], 1),
        "other": np.ones(3),
    }
    feeds = {name: np.array([case[name]], np.float32) for name in ("confidence", "iou")}
    with np.errstate(invalid="ignore", divide="ignore"):
        made = apply_suppression(spec, outputs, feeds)
    assert set(made) == {"found", "other"}
    kept = [anchor + 1 for anchor in case["want"]]
    np.testing.assert_array_equal(made["found"][0, :, 0], [*kept, *[0] * (most + 1 - len(kept))])
    np.testing.assert_array_equal(made["found"][0, :, 0], made["found"][0, :, 1])
