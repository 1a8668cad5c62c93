"""Writes conformance/slice-grid and conformance/slice-merging: `python -m tests.slices.make_cases`.

The algorithms are those of SAHI 0.12.8, reimplemented in `tests.slices.sahi`, which agreed with the package on 3,000
scenes of `tests.slices.scenes` and on 4,987 random grids.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.slices.sahi import merged, slice_boxes
from tests.slices.scenes import scene

FOLDER = Path(__file__).parents[2] / "conformance"
ABOUT = "about"

GRIDS: dict[str, tuple[str, tuple[int, int], tuple[int, int], float]] = {
    "shifted": ("The last of each row and column are shifted back.", (1000, 700), (400, 300), 0.2),
    "exact": ("The last ends with the picture.", (928, 512), (512, 512), 0.1875),
    "one": ("A picture of a slice's size is one.", (640, 640), (640, 640), 0.2),
    "smaller": ("A slice is never larger than the picture.", (300, 200), (640, 640), 0.2),
    "wide": ("A picture lower than a slice is one row.", (2000, 100), (640, 640), 0.25),
    "no-overlap": ("Without overlap they lie side by side.", (900, 600), (300, 200), 0.0),
    "one-more": ("A pixel more takes another row and column.", (513, 513), (512, 512), 0.5),
    "rounded-down": ("0.29 x 100 is 28.999999999999996: 28 pixels.", (500, 100), (100, 100), 0.29),
}


def found(*rows: tuple[float, float, float, float, float, int]) -> list[dict[str, Any]]:
    return [{"box": list(row[:4]), "score": row[4], "classIndex": row[5]} for row in rows]


TWO_HALVES = found((0, 0, 70, 40, 0.8, 0), (35, 0, 100, 40, 0.9, 0), (36, 2, 72, 38, 0.7, 0))
CHAIN = found((0, 0, 10, 10, 0.9, 0), (5, 0, 15, 10, 0.8, 0), (10, 0, 20, 10, 0.7, 0), (8, 0, 18, 10, 0.6, 0))
GROWN = found((0, 0, 10, 10, 0.9, 0), (0, 0, 100, 5, 0.8, 0), (4, 0, 10, 20, 0.7, 0), (2, 2, 9, 9, 0.6, 0))
TIES = found((5, 0, 15, 10, 0.5, 0), (0, 0, 10, 10, 0.5, 0), (0, 0, 10, 10, 0.5, 0), (4, 0, 14, 10, 0.5, 1))

MADE: dict[str, tuple[str, str, str, float, list[dict[str, Any]]]] = {
    "nobody": ("Nothing becomes nothing.", "greedy-nmm", "ios", 0.5, []),
    "halves": ("Two halves and their middle become one box.", "greedy-nmm", "ios", 0.5, TWO_HALVES),
    "halves-nms": ("The best half stays as it is.", "nms", "ios", 0.5, TWO_HALVES),
    "chain": ("A box merges what matches itself, not what matches those.", "greedy-nmm", "ios", 0.5, CHAIN),
    "grown": ("Who matches the best but not what it has become is dropped.", "greedy-nmm", "iou", 0.3, GROWN),
    "classes": (
        "Classes are kept apart.",
        "greedy-nmm",
        "ios",
        0.5,
        found((0, 0, 10, 10, 0.9, 0), (0, 0, 10, 10, 0.8, 1), (1, 1, 9, 9, 0.7, 0)),
    ),
    "equal-scores": ("Equal scores are ordered by their boxes.", "greedy-nmm", "ios", 0.5, TIES),
    "no-area": (
        "A box without an area matches nothing.",
        "greedy-nmm",
        "ios",
        0.5,
        found((0, 0, 10, 10, 0.9, 0), (5, 0, 5, 10, 0.8, 0), (3, 3, 3, 3, 0.95, 0)),
    ),
    "at-the-threshold": (
        "Boxes that share just the threshold match, in float32.",
        "nms",
        "iou",
        0.1,
        found((0, 0, 11, 1, 0.9, 0), (9, 0, 20, 1, 0.8, 0), (100, 0, 111, 1, 0.7, 0), (109, 0, 120, 1.001, 0.6, 0)),
    ),
}
SEEDS = range(1, 13)


def grid_cases() -> dict[str, dict[str, Any]]:
    """Return the cases of conformance/slice-grid by name."""
    return {
        name: {
            ABOUT: about,
            "picture": picture,
            "size": size,
            "overlap": overlap,
            "want": slice_boxes(*picture, size, overlap),
        }
        for name, (about, picture, size, overlap) in GRIDS.items()
    }


def merge_cases() -> dict[str, dict[str, Any]]:
    """Return the cases of conformance/slice-merging by name."""
    made = {
        name: {ABOUT: about, "merge": merge, "metric": metric, "threshold": threshold, "detections": detections}
        for name, (about, merge, metric, threshold, detections) in MADE.items()
    }
    random = {f"scene-{seed}": {ABOUT: "A random scene.", **scene(seed)} for seed in SEEDS}
    return {name: {**case, "want": wanted(case)} for name, case in (made | random).items()}


def wanted(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is kept, best first: its number among the detections, and its box."""
    columns = [[each[name] for each in case["detections"]] for name in ("box", "score", "classIndex")]
    rules = {name: case[name] for name in ("merge", "metric", "threshold")}
    return [{"detection": number, "box": box} for number, box in merged(*columns, **rules)]


if __name__ == "__main__":
    for folder, cases in (("slice-grid", grid_cases()), ("slice-merging", merge_cases())):
        (FOLDER / folder).mkdir(exist_ok=True)
        for name, case in cases.items():
            (FOLDER / folder / f"{name}.json").write_text(json.dumps(case) + "\n", "utf-8")
