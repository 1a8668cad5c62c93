"""What a search ends with."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.bisect.cut import Piece
from webbuild.bisect.outcome import Tried

Kind = Literal["wrong", "throws", "no-session", "hang", "crash", "fused", "beside", "drift"]
"""wrong: one node's answer differs. fused: only where the engine makes one kernel of several nodes. beside: only where
another node is in its session. drift: no node is guilty alone, small errors add up. The others: how a session ended."""


class Found(Struct, frozen=True):
    """One finding: the fewest nodes that show it, and what they showed.

    `guilty` is the node to blame, None for a drift or where several are needed. `behind` says that another finding lies
    upstream: what is wrong here was fed with right values all the same. `apart` is, for `fused`, the same piece with
    all its values read, which keeps the engine from fusing. `place` is gpu or cpu, empty where the engine does not say;
    `alone` whether a session of this piece and nothing else shows it.
    """

    kind: Kind
    piece: Piece
    tried: Tried
    guilty: int | None = None
    behind: bool = False
    apart: Tried | None = None
    place: str = ""
    alone: bool = True


class Depth(Struct, frozen=True):
    """The error of one value of the whole graph, relative to its largest magnitude, at the node that computes it."""

    node: int
    value: str
    error: float | None


class Result(Struct, frozen=True):
    """All that was found.

    `whole` is the whole graph's own run; `compared` counts the values that said something; `sessions` those made on the
    backend. `untried` are pieces whose sessions fail though the whole runs. `unfinished` says why the search ended
    before all was found, if it did.
    """

    whole: Tried
    found: tuple[Found, ...]
    sessions: int
    compared: int
    depths: tuple[Depth, ...] = ()
    untried: tuple[Tried, ...] = ()
    unfinished: str = ""
