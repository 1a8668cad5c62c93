"""Range headers, case by case."""

from __future__ import annotations

import pytest

from webbuild.browser.byte_range import UnsatisfiableError, parse


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (None, None),
        ("", None),
        ("bytes=0-", range(100)),
        ("bytes=0-0", range(1)),
        ("bytes=10-19", range(10, 20)),
        ("bytes=90-1000", range(90, 100)),
        ("bytes=99-", range(99, 100)),
        ("bytes=-1", range(99, 100)),
        ("bytes=-1000", range(100)),
        ("bytes= 5 - 6 ", range(5, 7)),
        ("bytes=0-9,20-29", None),
        ("bytes=20-10", None),
        ("bytes=-", None),
        ("bytes=a-b", None),
        ("bytes=٣-٤", None),
        ("items=0-9", None),
        ("bytes=1-2\n", range(1, 3)),
    ],
)
def test_parse(header: str | None, wanted: range | None) -> None:
    assert parse(header, 100) == wanted


@pytest.mark.parametrize(
    ("header", "size"),
    [("bytes=100-", 100), ("bytes=500-600", 100), ("bytes=-0", 100), ("bytes=-5", 0), ("bytes=0-", 0)],
)
def test_outside_is_refused(header: str, size: int) -> None:
    with pytest.raises(UnsatisfiableError):
        parse(header, size)
