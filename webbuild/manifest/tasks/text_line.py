"""Text that a recognizer reads: of a picture of one line, or of each line in a picture."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class TextRecognition(Task, kw_only=True, frozen=True):
    """A recognizer of text.

    `output` has a score of each of C classes at each of T columns. A score is a probability or, with `logits`, what
    softmax over the classes makes one of. `characters` are those of the classes, with line feeds between them; that of
    class `blank` is empty. The best class of a column is that of the largest score, of equals the lowest; NaN is never
    the best, and a column of NaN is `blank`.

    `decoding` says what the best classes are:

    - `ctc`: greedy CTC. Runs of the same class are one character, those of `blank` none. Columns share the input's
      width evenly; a character reaches from the first column of its run to behind the last, and has the score of the
      first.
    - `end-token`: each column is a character, up to the first `blank`, which ends the text. They share the line's
      width evenly: where each one is, such a recognizer does not say.

    The score of the text is the mean of its characters', 0 without any. Words are parted by white space.
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

    The output is [crops, T, C], or [T, 1, C] of one crop. Lines in which nothing is read are left out.
    """
