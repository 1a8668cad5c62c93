"""What came of a session: how it ended, and each piece's values judged."""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

from webbuild.bisect.cut import Piece
from webbuild.bisect.engine import Ended, Ending
from webbuild.verify.compare import Comparison

Verdict = Literal["agrees", "differs", "fails"]


class Tried(Struct, frozen=True):
    """A piece on the backend, fed with the reference's values.

    `ended` and `message` are those of the session that it was alone in, where that failed.
    """

    piece: Piece
    ended: Ending
    message: str = ""
    comparisons: tuple[Comparison, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What is to be said of it."""
        if self.ended != "ran":
            return "fails"
        return "differs" if self.differing else "agrees"

    @property
    def differing(self) -> tuple[Comparison, ...]:
        """The values that differ, as the piece computes them."""
        return tuple(each for each in self.comparisons if each.verdict == "DIFFERS")

    @property
    def compared(self) -> int:
        """How many values said something."""
        return sum(each.verdict != "VACUOUS" for each in self.comparisons)

    @property
    def error(self) -> float:
        """The largest error as a share of what is allowed: infinite where there is no number."""
        return max((share(each) for each in self.comparisons), default=0.0)


class Session(Struct, frozen=True):
    """A session of several pieces. Where it failed, nothing is known of any one of them."""

    ended: Ended
    tried: tuple[Tried, ...] = ()


def share(comparison: Comparison) -> float:
    """Return an error as a share of what is allowed."""
    if comparison.verdict != "DIFFERS" and not comparison.max_abs:
        return 0.0
    if comparison.max_abs is None or comparison.tolerance == 0:
        return math.inf
    return comparison.max_abs / comparison.tolerance
