"""Writes the slice cases: `python -m tests.slices.make_cases`.

The algorithms are those of SAHI 0.12.8, reimplemented in `tests.slices.sahi`; `benchmarks.against_sahi` compares them
with the package.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.slices.answers import boxes_wanted, masks_wanted, turned_wanted
from tests.slices.sahi import slice_boxes
from tests.slices.scenes import masked_scene, scene, turned_scene

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
SHIPS = [
    {"turned": [100, 100, 80, 12, 0.785398], "score": 0.9, "classIndex": 0},
    {"turned": [110, 90, 80, 12, 0.785398], "score": 0.8, "classIndex": 0},
    {"turned": [101, 100, 78, 13, 0.8], "score": 0.7, "classIndex": 0},
]
MADE_TURNED: dict[str, tuple[str, str, float, list[dict[str, Any]]]] = {
    "side-by-side": ("Ships side by side are two, though their upright boxes nearly agree.", "ios", 0.5, SHIPS),
    "a-quarter": (
        "A box turned by a quarter with its sides exchanged is the same.",
        "iou",
        1.0,
        [
            {"turned": [50, 40, 20, 10, 0], "score": 0.9, "classIndex": 0},
            {"turned": [50, 40, 10, 20, 1.5707963267948966], "score": 0.8, "classIndex": 0},
            {"turned": [50, 40, 20, 10, 3.141592653589793], "score": 0.7, "classIndex": 1},
        ],
    ),
    "crossed": (
        "Of a cross no box is most of the other, by either metric.",
        "ios",
        0.5,
        [
            {"turned": [60, 60, 100, 10, 0.5], "score": 0.9, "classIndex": 0},
            {"turned": [60, 60, 100, 10, 2.07], "score": 0.8, "classIndex": 0},
        ],
    ),
}


def masked(x: float, y: float, score: float, rows: list[str], cell: float = 1) -> dict[str, Any]:
    box = [x, y, x + len(rows[0]) * cell, y + len(rows) * cell]
    return {
        "box": box,
        "score": score,
        "classIndex": 0,
        "mask": {"x": x, "y": y, "cell": cell, "rows": rows},
    }


RING = ["1111", "1001", "1001", "1111"]
MADE_MASKED: dict[str, tuple[str, str, str, float, list[dict[str, Any]]]] = {
    "hole": (
        "A hole stays, where no mask fills it.",
        "greedy-nmm",
        "ios",
        0.5,
        [masked(2, 3, 0.9, RING), masked(3, 3, 0.8, RING)],
    ),
    "coarse": (
        "A mask of the whole picture has larger cells than one of a slice.",
        "greedy-nmm",
        "ios",
        0.5,
        [masked(10, 10, 0.9, ["0110", "1111", "1111"]), masked(9, 8, 0.8, ["111", "101", "111"], 2.5)],
    ),
    "fine": (
        "A cell may be smaller than a pixel, and begin inside of one.",
        "greedy-nmm",
        "ios",
        0.3,
        [
            masked(10.25, 10, 0.9, ["111111", "110011", "111111", "111111"], 0.5),
            masked(11, 10.5, 0.8, ["1111", "1111", "1111"], 0.75),
        ],
    ),
    "best-alone": (
        "With NMS the best has its own mask.",
        "nms",
        "ios",
        0.5,
        [masked(2, 3, 0.9, RING), masked(3, 3, 0.8, RING)],
    ),
    "empty": (
        "An object without a pixel is compared by its box, and nothing is lost.",
        "greedy-nmm",
        "ios",
        0.5,
        [
            masked(2, 3, 0.9, ["000", "000", "000"]),
            masked(2, 3, 0.8, ["0110", "0110", "0110"]),
            masked(40, 3, 0.7, ["00"]),
        ],
    ),
    "thin": (
        "A mask one pixel wide spans nothing and matches nothing.",
        "greedy-nmm",
        "ios",
        0.1,
        [masked(2, 3, 0.9, ["1", "1", "1"]), masked(2, 3, 0.8, ["111", "111", "111"])],
    ),
}
SEEDS = range(1, 13)
FEW = range(1, 7)
"""Scenes with masks are large."""


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
    made = {name: with_rules(*each) for name, each in MADE.items()}
    return with_wanted(made | random_scenes(scene, SEEDS), boxes_wanted)


def turned_cases() -> dict[str, dict[str, Any]]:
    """Return the cases of conformance/slice-merging-turned by name."""
    made = {
        name: {ABOUT: about, "metric": metric, "threshold": threshold, "detections": detections}
        for name, (about, metric, threshold, detections) in MADE_TURNED.items()
    }
    return with_wanted(made | random_scenes(turned_scene, SEEDS), turned_wanted)


def masked_cases() -> dict[str, dict[str, Any]]:
    """Return the cases of conformance/slice-merging-masks by name."""
    made = {name: with_rules(*each) for name, each in MADE_MASKED.items()}
    return with_wanted(made | random_scenes(masked_scene, FEW), masks_wanted)


def with_rules(
    about: str, merge: str, metric: str, threshold: float, detections: list[dict[str, Any]]
) -> dict[str, Any]:
    return {ABOUT: about, "merge": merge, "metric": metric, "threshold": threshold, "detections": detections}


def random_scenes(draw: Callable[[int], dict[str, Any]], seeds: range) -> dict[str, dict[str, Any]]:
    return {f"scene-{seed}": {ABOUT: "A random scene.", **draw(seed)} for seed in seeds}


def with_wanted(
    cases: dict[str, dict[str, Any]], wanted: Callable[[dict[str, Any]], list[Any]]
) -> dict[str, dict[str, Any]]:
    return {name: {**case, "want": wanted(case)} for name, case in cases.items()}


FOLDERS = {
    "slice-grid": grid_cases,
    "slice-merging": merge_cases,
    "slice-merging-turned": turned_cases,
    "slice-merging-masks": masked_cases,
}

if __name__ == "__main__":
    for folder, cases in FOLDERS.items():
        (FOLDER / folder).mkdir(exist_ok=True)
        for name, case in cases().items():
            (FOLDER / folder / f"{name}.json").write_text(json.dumps(case) + "\n", "utf-8")
