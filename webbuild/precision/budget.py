"""The budget of a precision search, and the saving that it must achieve."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError


class SearchBudget(Struct, frozen=True):
    """The limits of a search.

    The same search ends with the same graph on every machine, unless it reaches `seconds`.

    Attributes:
        evaluations: the maximum number of graphs that run on the samples, at least 1.
        gmacs: the maximum number of multiplications in these runs, in billions: it limits the search in large models.
        seconds: the time limit. No evaluation starts that would exceed it if it took as long as the longest so far. The
            report says if a search reached it.
        saving: the minimum fraction of weight bytes that `auto` must save to ship another graph, from 0 to 1.
    """

    evaluations: int = 40
    gmacs: float = 20_000.0
    seconds: float = 1800.0
    saving: float = 0.2


def parse_budget(values: Sequence[str]) -> SearchBudget:
    """Parse the `KEY=VALUE` items of `--budget`. Raises WebbuildError `invalid-budget`."""
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
