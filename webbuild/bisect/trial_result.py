"""The result of a trial session: how it ended, and the comparison of each part's values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.compare.comparison import Comparison
from webbuild.runners.session import ModelRunResult, RunStatus
from webbuild.subgraph.extract import Subgraph

SubgraphVerdict = Literal["agrees", "differs", "fails"]


class SubgraphResult(Struct, frozen=True):
    """A piece on the backend, fed with the reference's values.

    `status`, `message` and `shader` are those of the session that it was alone in, where that failed.
    """

    subgraph: Subgraph
    status: RunStatus
    message: str = ""
    comparisons: tuple[Comparison, ...] = ()
    shader: str = ""

    @property
    def verdict(self) -> SubgraphVerdict:
        """The verdict: `fails`, `differs` or `agrees`."""
        if self.status != "ran":
            return "fails"
        return "differs" if self.differing else "agrees"

    @property
    def differing(self) -> tuple[Comparison, ...]:
        """The values that differ, as the piece computes them."""
        return tuple(each for each in self.comparisons if each.verdict == "DIFFERS")

    @property
    def compared_values(self) -> int:
        """How many values were compared that are not vacuous."""
        return sum(each.verdict != "VACUOUS" for each in self.comparisons)

    @property
    def error(self) -> float:
        """The largest error as a share of what is allowed: infinite where there is no number."""
        return max((each.tolerance_used for each in self.comparisons), default=0.0)


class SessionResult(Struct, frozen=True):
    """A session of several pieces. Where it failed, nothing is known of any one of them."""

    run: ModelRunResult
    results: tuple[SubgraphResult, ...] = ()
