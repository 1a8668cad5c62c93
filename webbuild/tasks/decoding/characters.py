"""Characters of a line from the scores of a recogniser; see `TextRecognition`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from webbuild.manifest.manifest import TextRecognition
from webbuild.tasks.decoding.crop_detection import CropDetection


class ReadCharacter(Struct, frozen=True):
    """A character, its score, and where it is: from `start` up to `end`, in columns or in pixels along the line."""

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
    """A line that was found and read, `score` that of its text. Words reach along its polygon's first side.

    One that is `turned` stands on its head.
    """

    text: str
    words: tuple[TextWord, ...]
    turned: bool = False


def decode_ctc(task: TextRecognition, scores: NDArray[Any]) -> list[ReadCharacter]:
    """Return the characters in scores [T, C], in their order, in columns."""
    best = _best_classes(task, scores)
    found: list[ReadCharacter] = []
    start = 0
    for column in range(1, len(best) + 1):
        if column < len(best) and best[column] == best[start]:
            continue
        if best[start] != task.blank:
            found.append(_character(task, scores, best[start], start, column))
        start = column
    return found


def decode_until_end(task: TextRecognition, scores: NDArray[Any]) -> list[ReadCharacter]:
    """Return a character for each of the scores [T, C] before the end token, in columns."""
    text = itertools.takewhile(lambda each: each[1] != task.blank, enumerate(_best_classes(task, scores)))
    return [_character(task, scores, kind, column, column + 1) for column, kind in text]


def place_characters(
    task: TextRecognition, scores: NDArray[Any], *, column: float, left: float, scale: float, width: float
) -> list[ReadCharacter]:
    """Return the characters in scores [T, C], in pixels along the line.

    A column is `column` pixels of the input wide, the line begins at its pixel `left`, and a pixel of it is `scale` of
    the source's, which is `width` wide.
    """
    if task.decoding == "end-token":
        read = decode_until_end(task, scores)
        return [
            structs.replace(each, start=each.start * width / len(read), end=each.end * width / len(read))
            for each in read
        ]

    def pixels(at: float) -> float:
        return min(max((at * column - left) * scale, 0.0), width)

    found = decode_ctc(task, scores)
    return [ReadCharacter(each.text, each.score, pixels(each.start), pixels(each.end)) for each in found]


def line_of(read: Sequence[ReadCharacter]) -> TextLine:
    """Return the text of characters, and its words."""
    words = (
        TextWord("".join(each.text for each in word), mean_score(word), word[0].start, word[-1].end)
        for word in split_words(read)
    )
    return TextLine("".join(each.text for each in read), mean_score(read), tuple(words))


def split_words(read: Sequence[ReadCharacter]) -> list[list[ReadCharacter]]:
    """Return the characters of each word: those between white space."""
    words: list[list[ReadCharacter]] = [[]]
    for each in read:
        if each.text.isspace():
            words.append([])
        else:
            words[-1].append(each)
    return [word for word in words if word]


def mean_score(read: Sequence[ReadCharacter]) -> float:
    """Return the mean of the characters' scores, 0 of none."""
    return sum(each.score for each in read) / len(read) if read else 0.0


def _best_classes(task: TextRecognition, scores: NDArray[Any]) -> list[int]:
    values = np.where(np.isnan(scores), -np.inf, np.asarray(scores, np.float64))
    best = values.argmax(axis=1)
    best[np.isneginf(values.max(axis=1))] = task.blank
    return [int(each) for each in best]


def _character(task: TextRecognition, scores: NDArray[Any], kind: int, start: int, end: int) -> ReadCharacter:
    return ReadCharacter(task.characters.split("\n")[kind], _score(task, scores[start], kind), start, end)


def _score(task: TextRecognition, row: NDArray[Any], kind: int) -> float:
    """Return the probability of a class in a row [C], whose NaN count as nothing."""
    if not task.logits:
        return float(row[kind])
    values = np.where(np.isnan(row), -np.inf, np.asarray(row, np.float64))
    return float(1 / np.exp(values - values[kind]).sum())
