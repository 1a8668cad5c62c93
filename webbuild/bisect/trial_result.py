"""The result of a trial session: how it ended, and the comparison of each part's values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.compare.comparison import Comparison
from webbuild.runners.session import ModelRunResult, RunStatus
from webbuild.subgraph.extract import Subgraph

SubgraphVerdict = Literal["agrees", "differs", "fails"]


class SubgraphResult(Struct, frozen=True):
    """The result of a piece on the backend, with the reference's values as inputs.

    `status`, `message` and `shader` come from the session with only this piece, if it failed.
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
        """The comparisons of differing values, in the order of computation."""
        return tuple(each for each in self.comparisons if each.verdict == "DIFFERS")

    @property
    def compared_values(self) -> int:
        """The number of compared values that are not vacuous."""
        return sum(each.verdict != "VACUOUS" for each in self.comparisons)

    @property
    def error(self) -> float:
        """The largest error relative to its tolerance; infinite if an error has no number."""
        return max((each.tolerance_used for each in self.comparisons), default=0.0)


class SessionResult(Struct, frozen=True):
    """A session of several pieces; without results of single pieces if it failed."""

    run: ModelRunResult
    results: tuple[SubgraphResult, ...] = ()
