"""Text recognition: decode the scores of a recognizer into characters, words and lines; see `TextRecognition`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import TextRecognition
from webbuild.tasks.decoding.crop_detection import CropDetection
from webbuild.tasks.decoding.logical_order import to_logical_order


class ReadCharacter(Struct, frozen=True):
    """A character, its score, and where it is: from `start` up to `end`, in pixels along the line."""

    text: str
    score: float
    start: float
    end: float


class TextWord(Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """A word, the mean score of its characters, and where it begins and ends along the picture's width, in pixels."""

    text: str
    score: float
    start: float
    end: float


class TextLine(Struct, frozen=True):
    """A line of text and its words. `score` is the mean of its characters, 0 without any."""

    text: str
    score: float
    words: tuple[TextWord, ...]


class ReadLine(CropDetection, frozen=True, rename="camel", kw_only=True):
    """A detected and read line. `score` is its text's; words have positions along the polygon's first side.

    `turned` means that the line is upside down in the picture.
    """

    text: str
    words: tuple[TextWord, ...]
    turned: bool = False


def place_characters(
    task: TextRecognition, scores: NDArray[Any], *, column: float, left: float, scale: float, width: float
) -> list[ReadCharacter]:
    """Return the characters in scores [T, C], in pixels along the line.

    A time step of the scores is `column` input pixels wide, and the line begins at input pixel `left`. One input pixel
    is `scale` pixels of the source line, which is `width` pixels wide.
    """
    values = np.where(np.isnan(scores), -np.inf, np.asarray(scores, np.float64))
    best = values.argmax(axis=1)
    best[np.isneginf(values.max(axis=1))] = task.blank
    is_ctc = task.decoding == "ctc"
    runs = (_ctc_runs if is_ctc else _runs_before_end)(best.tolist(), task.blank)
    characters = task.characters.split("\n")

    def pixels(at: float) -> float:
        return min(max((at * column - left) * scale, 0.0), width) if is_ctc else at * width / len(runs)

    return [
        ReadCharacter(characters[kind], _score(task, values[start], kind), pixels(start), pixels(end))
        for kind, start, end in runs
    ]


def to_text_line(task: TextRecognition, read: Sequence[ReadCharacter]) -> TextLine:
    """Return a line of text with its words. Columns of CTC are from left to right, whatever the script."""
    if task.decoding == "ctc":
        read = to_logical_order(read)
    words = (
        TextWord(
            "".join(each.text for each in word),
            _mean_score(word),
            min(each.start for each in word),
            max(each.end for each in word),
        )
        for word in _split_words(read)
    )
    return TextLine("".join(each.text for each in read), _mean_score(read), tuple(words))


def _split_words(read: Sequence[ReadCharacter]) -> list[list[ReadCharacter]]:
    """Split characters into words at white space."""
    words: list[list[ReadCharacter]] = [[]]
    for each in read:
        if each.text.isspace():
            words.append([])
        else:
            words[-1].append(each)
    return [word for word in words if word]


def _mean_score(read: Sequence[ReadCharacter]) -> float:
    """Return the mean of the characters' scores, 0 without characters."""
    return sum(each.score for each in read) / len(read) if read else 0.0


def _ctc_runs(best: Sequence[int], blank: int) -> list[tuple[int, int, int]]:
    """Return (class, first column, end column) of each run of equal classes, without the blank."""
    runs: list[tuple[int, int, int]] = []
    for kind, columns in itertools.groupby(range(len(best)), best.__getitem__):
        start, *others = columns
        runs.append((kind, start, start + 1 + len(others)))
    return [run for run in runs if run[0] != blank]


def _runs_before_end(best: Sequence[int], blank: int) -> list[tuple[int, int, int]]:
    """Return (class, first column, end column) for decoders with an end token: one run per column before it."""
    text = itertools.takewhile(lambda kind: kind != blank, best)
    return [(kind, column, column + 1) for column, kind in enumerate(text)]


def _score(task: TextRecognition, row: NDArray[np.float64], kind: int) -> float:
    """Return the probability of a class, from a row of scores [C] without NaN."""
    if not task.logits:
        return float(row[kind])
    return float(1 / np.exp(row - row[kind]).sum())
