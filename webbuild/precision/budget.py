"""The budget of a precision search, and the saving that it must reach."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError


class SearchBudget(Struct, frozen=True):
    """The limits of a search.

    The same search ends at the same graph on every machine, unless it ends for `seconds`.

    Attributes:
        evaluations: how many graphs may be run on the samples, at least 1.
        gmacs: how many billion multiplications these runs may cost: it ends the search in a large model.
        seconds: how long it may take at the worst; no evaluation begins that would end later, as far as the longest one
            tells. The report says that a search ended for this.
        saving: the part of the bytes of weights that `auto` wants saved before another graph pays, from 0 to 1.
    """

    evaluations: int = 40
    gmacs: float = 20_000.0
    seconds: float = 1800.0
    saving: float = 0.2


def parse_budget(values: Sequence[str]) -> SearchBudget:
    """Read `KEY=VALUE`s. Raises WebbuildError `invalid-budget`."""
    limits: dict[str, float] = {}
    for text in values:
        key, _, value = text.partition("=")
        if key not in SearchBudget.__struct_fields__:
            raise _invalid_budget(text, f"unknown key '{key}'")
        try:
            limits[key] = int(value) if key == "evaluations" else float(value)
        except ValueError as error:
            raise _invalid_budget(text, f"{value!r} is not a number") from error
    budget = SearchBudget(**limits)  # type: ignore[arg-type]
    if budget.evaluations < 1:
        raise _invalid_budget(f"evaluations={budget.evaluations}", "it has to be at least 1")
    for key, limit in (("gmacs", budget.gmacs), ("seconds", budget.seconds)):
        if not 0 < limit < float("inf"):
            raise _invalid_budget(f"{key}={limit:g}", "it has to be greater than 0 and finite")
    if not 0 <= budget.saving <= 1:
        raise _invalid_budget(f"saving={budget.saving:g}", "it has to be between 0 and 1")
    return budget


def _invalid_budget(text: str, reason: str) -> WebbuildError:
    return WebbuildError(
        "invalid-budget",
        f"--budget {text}: {reason}",
        "write --budget evaluations=40, gmacs=20000, seconds=1800 or saving=0.2",
        exit_code=USAGE,
    )
