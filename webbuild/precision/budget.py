"""What a search may cost, and what it has to bring."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError


class Budget(Struct, frozen=True):
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


def parse_budget(given: Sequence[str]) -> Budget:
    """Read `KEY=VALUE`s. Raises WebbuildError `bad-budget`."""
    found: dict[str, float] = {}
    for text in given:
        key, _, value = text.partition("=")
        if key not in Budget.__struct_fields__:
            raise _wrong(text, f"there is no '{key}' in a budget")
        try:
            found[key] = int(value) if key == "evaluations" else float(value)
        except ValueError as error:
            raise _wrong(text, f"{value!r} is no number that it takes") from error
    budget = Budget(**found)  # type: ignore[arg-type]
    if budget.evaluations < 1:
        raise _wrong(f"evaluations={budget.evaluations}", "a search evaluates at least once")
    if not 0 < budget.seconds < float("inf"):
        raise _wrong(f"seconds={budget.seconds:g}", "it has to be more than 0, and finite")
    if not 0 <= budget.saving <= 1:
        raise _wrong(f"saving={budget.saving:g}", "it is a part, from 0 to 1")
    return budget


def _wrong(text: str, why: str) -> WebbuildError:
    return WebbuildError(
        "bad-budget",
        f"--budget {text}: {why}",
        "say --budget evaluations=20, --budget seconds=60 or --budget saving=0.2",
        exit_code=USAGE,
    )
