"""Samples of a text encoder: its example texts."""

from __future__ import annotations

from webbuild.errors import printable
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_MAX_TITLE_LENGTH = 60


def text_samples(match: TaskMatch) -> list[Sample]:
    """Return a sample for each example text of a text encoder, named by its number and first characters."""
    runs = kind_of(match.task).text_runs(match)
    return [Sample(text_title(index, text), dict(feeds)) for index, (text, feeds) in enumerate(runs.items())]


def text_title(index: int, text: str) -> str:
    """Return the title of text `index` in a report."""
    return printable(f"{index + 1}: {text}", _MAX_TITLE_LENGTH)
