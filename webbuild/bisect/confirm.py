"""A finding seen once more in a session of its own, with what the engine says of its place."""

from __future__ import annotations

import msgspec

from webbuild.bisect.cut import Piece
from webbuild.bisect.found import Found
from webbuild.bisect.graph import Graph
from webbuild.bisect.outcome import Tried
from webbuild.bisect.tester import Tester
from webbuild.probe.placed import placed

LARGEST = 5
"""Nodes of a cut that is kept."""


def confirmed(tester: Tester, found: Found) -> Found:
    """Return a finding as its piece shows it alone; where it does not, with the fewest other nodes beside it."""
    seen = _alone(tester, found, found.piece)
    if seen is None and found.kind == "wrong":
        seen = _beside(tester, found) or _alone(tester, found, _with_makers(tester.graph, found.piece))
    return seen or msgspec.structs.replace(found, alone=False)


def _alone(tester: Tester, found: Found, piece: Piece) -> Found | None:
    if len(piece) > max(LARGEST, len(found.piece)):
        return None
    session = tester.session([piece], verbose=True)
    tried = session.tried[0] if session.tried else Tried(piece, session.ended.ending, session.ended.message)
    if tried.verdict != found.tried.verdict:
        return None
    place = placed(session.ended.log)[0] or ""
    return msgspec.structs.replace(found, piece=piece, tried=tried, place=place)


def _beside(tester: Tester, found: Found) -> Found | None:
    """Return a node that is wrong only beside another of its operator, with that one: they share what is compiled."""
    graph = tester.graph
    operators = {graph.nodes[index].op_type for index in found.piece}
    kin = [index for index, node in enumerate(graph.nodes) if node.op_type in operators and index not in found.piece]
    if not kin or not _differs(tester, found, kin):
        return None
    while len(kin) > 1:
        half = kin[: len(kin) // 2]
        kin = half if _differs(tester, found, half) else kin[len(kin) // 2 :]
    seen = _alone(tester, found, tuple(sorted({*kin, *found.piece})))
    return None if seen is None else msgspec.structs.replace(seen, kind="beside")


def _differs(tester: Tester, found: Found, kin: list[int]) -> bool:
    """Whether a piece differs with other nodes in its session, each fed with the reference's values."""
    tried = tester.each(sorted([*((index,) for index in kin), found.piece]))  # which of them comes first may matter
    return any(each.piece == found.piece and each.verdict == "differs" for each in tried)


def _with_makers(graph: Graph, piece: Piece) -> Piece:
    """Return a piece with the nodes that compute what it is fed."""
    makers = {graph.maker[name] for index in piece for name in graph.reads[index] if name in graph.maker}
    return tuple(sorted({*piece, *makers}))
