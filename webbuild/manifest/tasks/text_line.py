"""Text recognition, of a picture of one line, or of each line in a picture."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class TextRecognition(Task, kw_only=True, frozen=True):
    """Text recognition.

    `output` has a score for each of C classes at each of T columns. A score is a probability; with `logits`, softmax
    over the classes turns it into one. `characters` are the characters of the classes, separated by line feeds; the
    character of class `blank` is empty. The best class of a column has the largest score, the lowest index if several
    do. NaN is never the best; a column of NaN is `blank`.

    `decoding` turns the best classes into text:

    - `ctc`: greedy CTC. A run of the same class is one character, and `blank` is none. Columns share the input's width
      evenly. A character extends from the first column of its run to the end of the last, and has the score of the
      first. In a line with Arabic characters the order is then reversed, except within runs of Latin letters and
      digits: columns are from left to right.
    - `end-token`: each column is a character, up to the first `blank`, which ends the text. Characters share the line's
      width evenly, since such a recognizer does not locate them.

    The score of the text is the mean score of its characters, 0 without any. Words are separated by white space.
    """

    output: OutputName
    characters: str
    blank: Count
    logits: bool
    decoding: Literal["ctc", "end-token"] = "ctc"


class TextLineTask(TextRecognition, tag="text-line", kw_only=True, frozen=True):
    """The text of a picture of one line; see `TextRecognition`.

    The output is [1, T, C] for the layout `ntc`, [T, 1, C] for `tnc`.
    """

    layout: Literal["ntc", "tnc"]


class TextTask(TextRecognition, tag="text", kw_only=True, frozen=True):
    """The text of each line that an earlier stage finds; see `TextRecognition`.

    The output is [crops, T, C], or [T, 1, C] for one crop. Lines without any recognized text are omitted.
    """
