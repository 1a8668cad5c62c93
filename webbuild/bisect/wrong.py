"""Nodes whose answers differ: guilty pieces divided again and again, all branches at once."""

from __future__ import annotations

from webbuild.bisect.found import Found
from webbuild.bisect.outcome import Tried
from webbuild.bisect.splits import Splits
from webbuild.bisect.tester import Tester

WIDTH = 16
"""Parts of a guilty piece."""
ALL = 64
"""Parts in a session, about."""


def wrong(tester: Tester, splits: Splits, whole: Tried) -> tuple[list[Found], list[Tried], list[Tried]]:
    """Return the nodes that differ alone, the pieces that differ with no part that does, and what could not be tried.

    The last are parts whose sessions fail though the whole runs.
    """
    found: list[Found] = []
    joint: list[Tried] = []
    untried: list[Tried] = []
    level = [whole]
    while level:
        width = max(2, min(WIDTH, ALL // len(level)))
        parts = {tried.piece: splits.parts(tried.piece, width) for tried in level}
        found += [_blamed(tried) for tried in level if len(parts[tried.piece]) == 1]
        divided = [tried for tried in level if len(parts[tried.piece]) > 1]
        answers = {tried.piece: tried for tried in tester.each([p for t in divided for p in parts[t.piece]])}
        level = []
        for parent in divided:
            children = [answers[part] for part in parts[parent.piece]]
            guilty = [child for child in children if child.verdict == "differs"]
            untried += [child for child in children if child.verdict == "fails"]
            level += guilty
            joint += [] if guilty else [parent]
    return found, joint, untried


def _blamed(tried: Tried) -> Found:
    return Found("wrong", tried.piece, tried, tried.piece[0] if len(tried.piece) == 1 else None)
