"""Write conformance/text-boxes: results of PaddleOCR's post-processing on drawn maps.

python -m models.text_boxes.conformance conformance

Needs opencv-python-headless 4 and pyclipper.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.text_boxes.reference import in_picture, text_boxes

LEVELS = 15
FINE = 1024
"""Steps per cell to which corners of offset polygons are rounded: so many that rounding does not change results."""
TOLERANCE = 0.01
SQUARE = {"source": {"width": 64, "height": 48}, "left": 0, "top": 0, "width": 64, "height": 48}
Bar = tuple[tuple[float, float], tuple[float, float], float, int]
"""Centre, width and height, angle in degrees, level from 0 to 15."""


def drawn(*bars: Bar, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    """Return a map of levels with rotated bars."""
    levels = np.zeros(size[::-1], np.uint8)
    for center, sides, angle, level in bars:
        cv2.fillPoly(levels, [np.round(cv2.boxPoints((center, sides, angle))).astype(np.int32)], level)
    return levels


def ring(levels: np.ndarray) -> np.ndarray:
    """Return the map with a hole in the middle."""
    levels[18:30, 20:44] = 0
    return levels


def case(about: str, levels: np.ndarray, letterbox: dict[str, Any] = SQUARE, **more: Any) -> dict[str, Any]:
    """Return a case; `more` are fields of the task, and the `input`'s size if the map is smaller."""
    height, width = levels.shape
    size = more.pop("input", {"width": width, "height": height})
    fields = {"threshold": 0.3, "confidence": 0.6, "unclipRatio": 1.5, "maxOutlines": 1000, **more}
    cells = (levels / LEVELS).astype(np.float32)
    found = text_boxes(
        cells, confidence=fields["confidence"], ratio=fields["unclipRatio"], most=fields["maxOutlines"], fine=FINE
    )
    placed = in_picture(found, letterbox, (size["width"] / width, size["height"] / height))
    boxes = [{"polygon": np.round(box.astype(float), 4).tolist(), "score": round(score, 5)} for box, score in placed]
    return {
        "about": about,
        "task": {"kind": "text-boxes", "output": "map", "activation": "none", **fields},
        "letterbox": letterbox,
        "input": size,
        "levels": ["".join(f"{level:x}" for level in row) for row in levels],
        "want": boxes,
        "tolerance": TOLERANCE,
    }


def cases() -> dict[str, dict[str, Any]]:
    """Return the cases by name."""
    line = ((30.0, 24.0), (40.0, 8.0), 0.0, 14)
    corner = drawn(((20.0, 15.0), (20.0, 6.0), 0.0, 15))
    corner[19:27, 31:50] = 15
    rows = [((float(x), float(y)), (14.0, 4.0), 0.0, 15) for x, y in ((50, 10), (12, 14), (31, 6), (40, 30), (14, 31))]
    noise = np.random.default_rng(1).integers(0, LEVELS + 1, (48, 64)).astype(np.uint8)
    blurred = cv2.GaussianBlur(drawn(((30.0, 24.0), (44.0, 12.0), -20.0, 15)), (0, 0), 1.5)
    large = {"source": {"width": 320, "height": 180}, "left": 0, "top": 6, "width": 64, "height": 36}
    return {
        "level": case("A level line grows by its area times 1.5 by its length.", drawn(line)),
        "turned": case(
            "A line that rises to the right keeps its angle.", drawn(((32.0, 24.0), (44.0, 9.0), -25.0, 15))
        ),
        "steep": case(
            "A line that goes down begins at its upper left corner.", drawn(((32.0, 24.0), (36.0, 8.0), 70.0, 15))
        ),
        "blurred": case("The score is the mean of the cells inside.", blurred),
        "hole": case(
            "A hole has an outline too; its score is low.", ring(drawn(((32.0, 24.0), (50.0, 30.0), 0.0, 15)))
        ),
        "hole-counts": case(
            "Where its score counts, the hole is a box.",
            ring(drawn(((32.0, 24.0), (50.0, 30.0), 0.0, 15))),
            confidence=0.05,
        ),
        "touching": case("Lines that touch at a corner are one.", corner, confidence=0.4),
        "border": case(
            "Boxes end at the edges of the picture.",
            drawn(((2.0, 10.0), (30.0, 8.0), 10.0, 15), ((60.0, 44.0), (24.0, 10.0), -8.0, 15)),
        ),
        "reading-order": case("Boxes whose tops are less than 10 pixels apart are a row.", drawn(*rows)),
        "low-score": case(
            "A score below the confidence does not count.",
            drawn(((30.0, 12.0), (40.0, 8.0), 0.0, 8), ((30.0, 36.0), (40.0, 8.0), 0.0, 10)),
        ),
        "thin": case(
            "A shorter side of less than 3 cells is no text.",
            drawn(((30.0, 12.0), (40.0, 2.0), 0.0, 15), ((30.0, 36.0), (40.0, 3.0), 0.0, 15)),
        ),
        "thin-grown": case(
            "A shorter side of less than 5 cells is no text when it has grown.",
            drawn(((30.0, 11.5), (40.0, 3.0), 0.0, 15), ((30.0, 36.0), (40.0, 4.0), 0.0, 15)),
            unclipRatio=0.5,
        ),
        "nobody": case("A map of nothing has no boxes.", drawn()),
        "noise": case("Outlines in noise, and what is kept of them.", noise, confidence=0.3),
        "first-outlines": case(
            "Only so many outlines are looked at, the last ones first.", drawn(*rows), maxOutlines=2
        ),
        "letterboxed": case("The picture was shrunk to a fifth and lies below 6 rows of padding.", drawn(line), large),
        "coarse-map": case(
            "A cell of the map is two pixels of the input.",
            drawn(line),
            {**large, "width": 128, "height": 72, "top": 12},
            input={"width": 128, "height": 96},
        ),
    }


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1]) / "text-boxes"
    folder.mkdir(exist_ok=True)
    for name, each in cases().items():
        fields = (f'  "{key}": {listed(value)}' for key, value in each.items())
        (folder / f"{name}.json").write_text("{\n" + ",\n".join(fields) + "\n}\n", "utf-8")


def listed(value: Any) -> str:
    """Return a value as JSON, with one line per element of a list."""
    if not isinstance(value, list) or not value:
        return json.dumps(value)
    return "[\n    " + ",\n    ".join(json.dumps(each) for each in value) + "\n  ]"


if __name__ == "__main__":
    main()
