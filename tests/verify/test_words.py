"""Numbers for people."""

from __future__ import annotations

import pytest

from webbuild.verify.words import milliseconds, number


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(0, "0"), (0.0314, "0.031"), (4.2e-6, "4.2\N{MULTIPLICATION SIGN}10⁻⁶"), (1.0, "1"), (4227.4, "4,227")],
)
def test_number(value: float, wanted: str) -> None:
    assert number(value) == wanted


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_no_number_is_a_dash(value: float | None) -> None:
    assert number(value) == "\N{EN DASH}"


@pytest.mark.parametrize(("value", "wanted"), [(8.43, "8.4 ms"), (812.3, "812 ms"), (12_400, "12.4 s")])
def test_milliseconds(value: float, wanted: str) -> None:
    assert milliseconds(value) == wanted
