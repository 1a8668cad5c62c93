"""The search: the whole graph first, then pieces of it, each fed with the reference's values."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.bisect.confirm import confirmed
from webbuild.bisect.cut import Piece
from webbuild.bisect.depths import depths
from webbuild.bisect.failing import Failing
from webbuild.bisect.found import Found, Result
from webbuild.bisect.graph import Graph
from webbuild.bisect.outcome import Tried
from webbuild.bisect.splits import Splits
from webbuild.bisect.tester import Tester
from webbuild.bisect.together import together
from webbuild.bisect.wrong import wrong

MOST_FAILING = 4
"""Nodes that throw or make no session that are looked for, one behind the other."""
MOST_SESSIONS = 20
"""Sessions after which no further failing node is looked for: a few are left for what is merely wrong."""
MOST_CONFIRMED = 5
"""Findings that are seen once more, each in a session of its own."""


def search(tester: Tester) -> Result:
    """Find what makes the backend's answers differ from the reference's.

    Nodes whose sessions fail are found first, one by one, and taken out; the rest is then judged by its values.

    Raises:
        WebbuildError: `no-reference`.
    """
    splits = Splits(tester.graph)
    whole = tester.one(tuple(range(len(tester.graph.nodes))))
    found, rest, unfinished = _failing(tester, splits, whole)
    untried: list[Tried] = []
    if rest is not None and rest.verdict == "differs":
        blamed, joint, untried = wrong(tester, splits, rest)
        several = [together(tester, splits, each) for each in joint]
        found += [*blamed, *(each for each in several if each is not None)]
        if None in several:  # it takes nodes that are no neighbours
            found += _singles(tester, rest, {index for each in found for index in each.piece})
    ordered = _confirmed(tester, _in_order(tester.graph, found))
    profile = depths(tester) if any(each.kind == "drift" for each in ordered) else ()
    return Result(
        whole=whole,
        found=tuple(ordered),
        sessions=tester.sessions,
        compared=sum(tried.compared for tried in tester.asked),
        depths=profile,
        untried=tuple(untried),
        unfinished=unfinished,
    )


def _failing(tester: Tester, splits: Splits, whole: Tried) -> tuple[list[Found], Tried | None, str]:
    """Return the nodes that fail, what the rest gives if it runs, and why not all were found, if so."""
    failing, found, rest = Failing(tester, splits), list[Found](), whole
    while rest.verdict == "fails":
        if found and (len(found) == MOST_FAILING or tester.sessions + failing.cost(rest) > MOST_SESSIONS):
            return found, None, "more nodes fail: mend these, and look again"
        one = failing.find(rest)
        found.append(one)
        left: Piece = tuple(index for index in rest.piece if index not in one.piece)
        if not left:
            return found, None, ""
        rest = tester.one(left)
    return found, rest, ""


def _singles(tester: Tester, rest: Tried, known: set[int]) -> list[Found]:
    """Return the nodes that differ with all others beside them, each fed with the reference's values."""
    pieces = [(index,) for index in rest.piece if any(map(tester.graph.can_cross, tester.graph.nodes[index].output))]
    tried = tester.each(pieces)
    return [
        Found("wrong", each.piece, each, each.piece[0])
        for each in tried
        if each.verdict == "differs" and each.piece[0] not in known
    ]


def _confirmed(tester: Tester, found: Sequence[Found]) -> list[Found]:
    """See the first findings once more, those that others lie upstream of left out."""
    worth = [number for number, each in enumerate(found) if not each.behind and each.kind != "drift"][:MOST_CONFIRMED]
    return [confirmed(tester, each) if number in worth else each for number, each in enumerate(found)]


def _in_order(graph: Graph, found: Sequence[Found]) -> list[Found]:
    """Order findings by their first nodes, and mark those that another one lies upstream of."""
    ordered = sorted(found, key=lambda each: each.piece)
    bad: set[int] = set()
    told = []
    for each in ordered:
        upstream = set[int]().union(*(graph.ancestors(index) for index in each.piece)) - set(each.piece)
        told.append(msgspec.structs.replace(each, behind=bool(upstream & bad)))
        bad.update(each.piece)
    return told
