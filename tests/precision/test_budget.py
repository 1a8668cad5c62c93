"""Parsing of a search budget."""

from __future__ import annotations

import pytest

from webbuild.errors import USAGE, WebbuildError
from webbuild.precision.budget import SearchBudget, parse_budget


def test_what_is_not_said_stays() -> None:
    assert parse_budget([]) == SearchBudget(evaluations=40, gmacs=20_000, seconds=1800, saving=0.2)
    assert parse_budget(["evaluations=5", "gmacs=1.5"]) == SearchBudget(evaluations=5, gmacs=1.5)


@pytest.mark.parametrize(
    "text",
    [
        "evaluations=0",
        "evaluations=1.5",
        "seconds=0",
        "seconds=inf",
        "seconds=nan",
        "gmacs=0",
        "gmacs=inf",
        "saving=2",
        "speed=1",
        "x",
    ],
)
def test_what_makes_no_sense_is_refused_with_a_mend(text: str) -> None:
    with pytest.raises(WebbuildError) as raised:
        parse_budget([text])
    assert (raised.value.code, raised.value.exit_code) == ("invalid-budget", USAGE)
    assert text in raised.value.message or text.partition("=")[0] in raised.value.message
    assert "--budget" in raised.value.fix
