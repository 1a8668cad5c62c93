"""Alternating visits of a model: the results of each way of running it, and the failures."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct

from benchmarks.side_by_side.measure import PageMeasurement
from webbuild.errors import WebbuildError
from webbuild.verify.page_rpc import PageError

BUNDLE, EXPORTED, PATCHED = "the bundle", "transformers.js, as exported", "transformers.js, patched"
"""Ways to run a model. The third is measured if the second fails."""

_MOST = 240
"""Longest message, in characters."""


class FailedRuntime(Struct, frozen=True):
    """A way that did not run, and its error."""

    way: str
    said: str


class VisitResults(Struct, frozen=True):
    """Measurements by way, and the ways that failed."""

    sides: dict[str, PageMeasurement]
    failed: tuple[FailedRuntime, ...]


def measure_in_turn(ways: Mapping[str, Callable[[], PageMeasurement]], visits: int) -> VisitResults:
    """Visit each way in turn, `visits` times. A failed way is not repeated; the others continue."""
    sides: dict[str, list[PageMeasurement]] = {}
    failed: dict[str, str] = {}
    for _ in range(visits):
        for name, measure in ways.items():
            if name in failed or (name == PATCHED and EXPORTED not in failed):
                continue
            side = _tried(measure)
            if isinstance(side, str):
                failed[name] = side
            else:
                sides.setdefault(name, []).append(side)
    told = tuple(FailedRuntime(name, said) for name, said in failed.items())
    return VisitResults({name: merge_visits(each) for name, each in sides.items()}, told)


def merge_visits(sides: Sequence[PageMeasurement]) -> PageMeasurement:
    """Merge several visits: the median of each single value, and the times of all runs."""
    return msgspec.structs.replace(
        sides[0],
        session=statistics.median(side.session for side in sides),
        first_result=statistics.median(side.first_result for side in sides),
        times=[time for side in sides for time in side.times],
    )


def _tried(measure: Callable[[], PageMeasurement]) -> PageMeasurement | str:
    from playwright.sync_api import Error

    try:
        return measure()
    except subprocess.CalledProcessError as error:
        return f"`webbuild` ends with {error.returncode}"
    except (PageError, WebbuildError, Error) as error:
        return " ".join(str(error).split())[:_MOST]
