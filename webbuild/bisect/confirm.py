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
    """Return a finding as its piece shows it alone; where it does not, the piece with nodes upstream that does.

    One that is behind another, or no single node's, is left as it is.
    """
    if found.behind or found.kind == "drift":
        return found
    piece = found.piece
    while True:
        session = tester.session([piece], verbose=True)
        tried = session.tried[0] if session.tried else Tried(piece, session.ended.ending, session.ended.message)
        if tried.verdict == found.tried.verdict:
            place = placed(session.ended.log)[0] or ""
            return msgspec.structs.replace(found, piece=piece, tried=tried, place=place)
        larger = _with_makers(tester.graph, piece)
        if larger == piece or len(larger) > LARGEST:
            return msgspec.structs.replace(found, alone=False)
        piece = larger


def _with_makers(graph: Graph, piece: Piece) -> Piece:
    """Return a piece with the nodes that compute what it is fed."""
    makers = {graph.maker[name] for index in piece for name in graph.reads[index] if name in graph.maker}
    return tuple(sorted({*piece, *makers}))
