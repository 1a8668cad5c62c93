"""The budget of a precision search, and the saving that it must reach."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError


class SearchBudget(Struct, frozen=True):
    """The limits of a search.

    Attributes:
        evaluations: how often a graph may be run on the samples, at least 1.
        seconds: how long it may take; no evaluation begins that would end later, as far as the last one tells. Two
            searches that end for this may end differently, and the report says that it was so.
        saving: the part of the bytes of weights that `auto` wants saved before another graph pays, from 0 to 1.
    """

    evaluations: int = 20
    seconds: float = 60.0
    saving: float = 0.2


def parse_budget(given: Sequence[str]) -> SearchBudget:
    """Read `KEY=VALUE`s. Raises WebbuildError `invalid-budget`."""
    found: dict[str, float] = {}
    for text in given:
        key, _, value = text.partition("=")
        if key not in SearchBudget.__struct_fields__:
            raise _invalid_budget(text, f"unknown key '{key}'")
        try:
            found[key] = int(value) if key == "evaluations" else float(value)
        except ValueError as error:
            raise _invalid_budget(text, f"{value!r} is not a number") from error
    budget = SearchBudget(**found)  # type: ignore[arg-type]
    if budget.evaluations < 1:
        raise _invalid_budget(f"evaluations={budget.evaluations}", "it has to be at least 1")
    if not 0 < budget.seconds < float("inf"):
        raise _invalid_budget(f"seconds={budget.seconds:g}", "it has to be greater than 0 and finite")
    if not 0 <= budget.saving <= 1:
        raise _invalid_budget(f"saving={budget.saving:g}", "it has to be between 0 and 1")
    return budget


def _invalid_budget(text: str, reason: str) -> WebbuildError:
    return WebbuildError(
        "invalid-budget",
        f"--budget {text}: {reason}",
        "write --budget evaluations=20, --budget seconds=60 or --budget saving=0.2",
        exit_code=USAGE,
    )
