"""The largest part of a graph that is right in float16: ranges first, then groups of nodes, halved again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.bundle.precision import Part
from webbuild.precision.budget import Budget
from webbuild.precision.convert import Convertible, Halved, able, convertible, softened
from webbuild.precision.judging import Judgement, Judging
from webbuild.precision.measured import out_of_range
from webbuild.precision.ranges import measure
from webbuild.precision.smallest import smallest
from webbuild.precision.weigh import Weight, share, weigh

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.precision.arithmetic import Arithmetic
    from webbuild.targets.table import Table

Told = Callable[[str], None]
FOUND = "the answers differ with it in float16"


class Evaluation(Struct, frozen=True):
    """A graph that was tried: how much of it was float16, and how much of each output's tolerance it used.

    `why` is empty where the answers are the same.
    """

    share: Part
    used: dict[str, float]
    why: str


class Found(Struct, frozen=True):
    """What a search found: `halved` is None where no graph with float16 in it gives the same answers.

    `evaluations` are all that were tried, in order. It took `seconds` by the clock, and processors were `busy`.
    `ended` says why the search went no further, empty where it was done.
    """

    halved: Halved | None
    share: Part
    evaluations: tuple[Evaluation, ...]
    seconds: float
    busy: float
    ended: str


class Search:
    """One search.

    Args:
        model: the graph of float32.
        table: of the target.
        judging: what compares.
        arithmetic: what computes in float16.
        budget: its limits.
        say: where it tells how it goes.
    """

    def __init__(
        self,
        model: ir.Model,
        table: Table | None,
        judging: Judging,
        arithmetic: Arithmetic,
        budget: Budget,
        say: Told,
    ) -> None:
        self._judging, self._arithmetic, self._budget, self._say = judging, arithmetic, budget, say
        self._started, self._busy = time.monotonic(), time.process_time()
        self._longest = 0.0
        soft, _ = softened(model)
        found = able(soft)
        ranges = out_of_range(soft, found, measure(soft, judging.feeds))
        self.convertible: Convertible = convertible(model, table, ranges)
        self._weights: dict[str, Weight] = weigh(found)
        self._stored = True
        self._evaluations: list[Evaluation] = []
        self._known: dict[tuple[bool, tuple[str, ...]], bool] = {}
        self._best: Halved | None = None
        self._ended = ""

    def run(self, *, whole: bool) -> Found:
        """Search. With `whole` only the graph is tried in which all is float16 that can be."""
        self._say(f"{len(self.convertible.kept)} nodes stay float32 by what they are and what goes through them")
        full = self.convertible.halved()
        if full.halved and not self._tried(full) and not whole:
            self._halve(full.halved[::-1])
        best = self._best
        return Found(
            best,
            share(self._weights, best.halved if best else ()),
            tuple(self._evaluations),
            time.monotonic() - self._started,
            time.process_time() - self._busy,
            self._ended,
        )

    def _halve(self, names: Sequence[str]) -> None:
        """Find what has to be kept, what is last in the graph rather than what is first: heads weigh little."""
        kept = list(names)
        bare = self._right(kept)
        if bare is False:
            self._stored = False  # then even rounding the weights is too much
        if bare is None:
            return
        needed = smallest(names, self._right)
        final = self.convertible.halved(needed, FOUND, stored=self._stored)
        if final.halved and (self._best is None or final.halved != self._best.halved):
            self._right(needed)

    def _right(self, kept: Sequence[str]) -> bool | None:
        """Return whether the answers are the same with these kept; None where the budget is spent."""
        halved = self.convertible.halved(kept, FOUND, stored=self._stored)
        if (known := self._known.get((self._stored, halved.halved))) is not None:
            return known
        return None if self._spent() else self._tried(halved)

    def _spent(self) -> bool:
        if len(self._evaluations) >= self._budget.evaluations:
            self._ended = f"{self._budget.evaluations} evaluations were spent"
        elif time.monotonic() - self._started + self._longest > self._budget.seconds:
            self._ended = f"{self._budget.seconds:g} seconds were spent, so that another search may end differently"
        return bool(self._ended)

    def _tried(self, halved: Halved) -> bool:
        began = time.monotonic()
        judged: Judgement = self._judging.judge(halved.model, self._arithmetic)
        self._longest = max(self._longest, time.monotonic() - began)
        part = share(self._weights, halved.halved)
        self._evaluations.append(Evaluation(part, judged.used, judged.why))
        word = "the same" if not judged.why else "differs"
        self._say(f"{len(self._evaluations)}: {part.mean:.0%} float16, {judged.worst:.2g} of the tolerance: {word}")
        if not judged.why and (self._best is None or part.mean >= share(self._weights, self._best.halved).mean):
            self._best = halved
        self._known[self._stored, halved.halved] = not judged.why
        return not judged.why
