"""Texts as samples of a text encoder."""

from __future__ import annotations

from webbuild.errors import printable
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_MOST = 60


def text_samples(match: TaskMatch) -> list[Sample]:
    """Return a sample for each example text of a text encoder, by its number and first letters."""
    runs = kind_of(match.task).text_runs(match)
    return [Sample(text_title(at, text), dict(feeds)) for at, (text, feeds) in enumerate(runs.items())]


def text_title(at: int, text: str) -> str:
    """Return what the text of a place is called in a report."""
    return printable(f"{at + 1}: {text}", _MOST)
