"""Text that a recogniser with CTC reads: of a picture of one line, or of each line in a picture."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class CtcTask(Task, kw_only=True, frozen=True):
    """A recogniser of text.

    `output` has a score of each character at each of T columns, which share the input's width evenly. A score is a
    probability or, with `logits`, what softmax over the C classes makes one of. `characters` are those of the classes,
    with line feeds between them; that of class `blank` is empty.

    Greedy CTC: the best class of each column, of equals the lowest; runs of the same class are one character, and those
    of `blank` none. NaN is never the best; a column of NaN is `blank`. The score of a character is that of the first
    column of its run, the score of the text the mean of those, 0 without any. Words are parted by white space; one
    reaches from the first column of its first run to behind the last column of its last.
    """

    output: OutputName
    characters: str
    blank: Count
    logits: bool


class TextLineTask(CtcTask, tag="text-line", kw_only=True, frozen=True):
    """The text of a picture of one line; see `CtcTask`.

    The output is [1, T, C] for the layout `ntc`, [T, 1, C] for `tnc`.
    """

    layout: Literal["ntc", "tnc"]


class TextTask(CtcTask, tag="text", kw_only=True, frozen=True):
    """The text of each line that an earlier stage finds; see `CtcTask`.

    The output is [crops, T, C], or [T, 1, C] of one crop. Lines in which nothing is read are left out.
    """
