"""The text of a picture of one line, read by a recogniser that was trained with CTC."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.tasks.task import Task


class TextLineTask(Task, tag="text-line", kw_only=True, frozen=True):
    """The text of a picture of one line.

    `output` has a score of each character at each of T columns, which share the input's width evenly: [1, T, C] for the
    layout `ntc`, [T, 1, C] for `tnc`. A score is a probability or, with `logits`, what softmax over C makes one of.
    `characters` are those of the C classes, with line feeds between them; that of class `blank` is empty.

    Greedy CTC: the best class of each column, of equals the lowest; runs of the same class are one character, and those
    of `blank` none. NaN is never the best; a column of NaN is `blank`. The score of a character is that of the first
    column of its run, the score of the text the mean of those, 0 without any. Words are parted by white space; one
    reaches from the first column of its first run to behind the last column of its last.
    """

    output: str
    layout: Literal["ntc", "tnc"]
    characters: str
    blank: int
    logits: bool
