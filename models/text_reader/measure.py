"""Measure the shipped detector and recognizer on held-out fonts and words; write the table in models/README.md.

python -m models.text_reader.measure
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from torch import from_numpy

from models.imagenet import inputs as scaled
from models.table import README, publish
from models.text_reader import crops
from models.text_reader.decoding import boxes
from models.text_reader.pages import SEEDS, drawn
from models.text_reader.recognizer import read

FOLDER = README.with_name("text-reader")
PAGES, LINES, SIDE = 200, 2000, 320
LEAST_HIGH = 8.0
"""Minimum height in pixels of a line that has to be found."""
LEAST_SHOWN = 0.9
"""Minimum share of a line within the picture."""


def session(onnx: Path) -> ort.InferenceSession:
    """Return a session of the model on one thread."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Return the intersection over union of two convex quadrilaterals [4, 2]."""
    first, second = one.astype(np.float32), other.astype(np.float32)
    shared = float(cv2.intersectConvexConvex(first, second)[0])
    return shared / max(float(cv2.contourArea(first) + cv2.contourArea(second)) - shared, 1e-6)


def counts(quad: np.ndarray) -> bool:
    """Whether a line is large enough and far enough within the picture to count."""
    frame = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32)
    inside = float(cv2.intersectConvexConvex(quad.astype(np.float32), frame)[0])
    high = float(np.linalg.norm(quad[3] - quad[0]))
    return high >= LEAST_HIGH and inside >= LEAST_SHOWN * cv2.contourArea(quad.astype(np.float32))


def matched(found: np.ndarray, truth: np.ndarray) -> dict[int, int]:
    """Return pairs of detections and lines with an IoU of at least 0.5, each once, the largest IoU first."""
    pairs = sorted(
        ((overlap(one, other), row, column) for row, one in enumerate(found) for column, other in enumerate(truth)),
        reverse=True,
    )
    taken: dict[int, int] = {}
    for share, row, column in pairs:
        if share >= 0.5 and row not in taken and column not in taken.values():
            taken[row] = column
    return taken


def distance(one: str, other: str) -> int:
    """Return the edit distance (Levenshtein) of two texts."""
    row = list(range(len(other) + 1))
    for index, mine in enumerate(one, 1):
        before, row[0] = row[0], index
        for column, theirs in enumerate(other, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (mine != theirs))
    return row[-1]


@cache
def pictures() -> list[tuple[np.ndarray, np.ndarray, list[str]]]:
    """Return the held-out pages, with the lines' corners and texts."""
    return [drawn(np.random.default_rng([SEEDS["held-out"], n]), "held-out", (SIDE, SIDE)) for n in range(PAGES)]


def read_lines(recognizer: ort.InferenceSession, lines: list[np.ndarray]) -> list[str]:
    """Return the recognized texts of lines [32, w, 3]."""
    answers = (recognizer.run(None, {"x": crops.inputs([line])[:, ::-1]})[0] for line in lines)
    return [read(from_numpy(np.asarray(answer)))[0] for answer in answers]


def measure(detector_file: Path) -> dict[str, str]:
    """Return the measured values by title; the recognizer is next to the detector."""
    detector, recognizer = session(detector_file), session(detector_file.with_name("rec.onnx"))
    right = wanted = shown = said = 0
    for image, truth, texts in pictures():
        probabilities = np.asarray(detector.run(None, {"x": scaled(image[..., ::-1])[None]})[0])[0, 0]
        found = boxes(probabilities)
        pairs = matched(found, truth)
        asked = [counts(quad) for quad in truth]
        lines = read_lines(recognizer, [crops.cut(image, found[row]) for row in pairs])
        said += sum(asked[column] and line == texts[column] for column, line in zip(pairs.values(), lines, strict=True))
        right += sum(asked[column] for column in pairs.values())
        wanted += sum(asked)
        shown += len(found) - sum(not asked[column] for column in pairs.values())
    examples = [crops.example(np.random.default_rng([SEEDS["held-out"], 1, n]), "held-out", 24) for n in range(LINES)]
    answers = read_lines(recognizer, [line for line, _ in examples])
    wrong = sum(distance(answer, text) for answer, (_, text) in zip(answers, examples, strict=True))
    whole = sum(answer == text for answer, (_, text) in zip(answers, examples, strict=True))
    return {
        "held-out pictures": str(PAGES),
        "lines in them": str(wanted),
        "precision at an IoU of 0.5": f"{right / max(shown, 1):.3f}",
        "recall at an IoU of 0.5": f"{right / wanted:.3f}",
        "lines found and read right": f"{said / wanted:.3f}",
        "held-out lines": str(LINES),
        "character error rate": f"{wrong / sum(len(text) for _, text in examples):.3f}",
        "lines read right": f"{whole / LINES:.3f}",
    }


if __name__ == "__main__":
    publish({"text reader": measure}, "text-reader", FOLDER / "det.onnx", __doc__)
