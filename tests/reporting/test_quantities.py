"""Numbers formatted for people."""

from __future__ import annotations

import pytest

from webbuild.reporting.quantities import format_count


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "node", "0 nodes"), (1, "node", "1 node"), (2, "copy", "2 copies"), (12345, "value", "12,345 values")],
)
def test_a_count_has_its_plural(number: int, noun: str, text: str) -> None:
    assert format_count(number, noun) == text
