"""Pieces on the backend, against the reference: many in one session, and every session counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from webbuild.bisect.cut import Piece, cut, given, read_of
from webbuild.bisect.engine import Ended, Engine
from webbuild.bisect.graph import Graph
from webbuild.bisect.journal import Journal, digest
from webbuild.bisect.judge import judge
from webbuild.bisect.outcome import Session, Tried
from webbuild.bisect.reference import Reference
from webbuild.verify.compare import RELATIVE, Comparison

ROOM = 256 << 20
"""Bytes that go into a session and come out of it, weights apart."""


class Terms(Struct, frozen=True):
    """On which terms values are judged. `key` tells the model, the inputs and the engine from all others."""

    sample: str = "input"
    tolerance: float = RELATIVE
    key: str = ""
    room: int = ROOM


class Tester:
    """Tries pieces of one graph on one backend with one input.

    Args:
        graph: what is cut.
        reference: its values.
        engine: the backend.
        terms: how values are judged.
        journal: sessions that were had before.
        say: told of every session.
    """

    def __init__(
        self,
        graph: Graph,
        reference: Reference,
        engine: Engine,
        terms: Terms | None = None,
        journal: Journal | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.graph, self.reference, self.engine = graph, reference, engine
        self.terms = terms or Terms()
        self._journal = journal or Journal()
        self._say = say
        self.sessions = 0
        self.asked: list[Tried] = []

    def session(self, pieces: Sequence[Piece], *, also: tuple[str, ...] = (), verbose: bool = False) -> Session:
        """Try pieces in one session. Of one that was had before, the answer is the same and nothing runs."""
        key = digest(self.terms.key, self.engine.name, self.reference.name, self.terms.tolerance, pieces, also, verbose)
        known = self._journal.get(key)
        self.sessions += 1
        title = f"session {self.sessions}: {_counted(pieces)}"
        self._say(title)
        found = known or self._run(pieces, also=also, verbose=verbose)
        self._say(f"{title}: {_told(found)}{', as before' if known else ''}")
        if known is None:
            self._journal.add(key, found)
        self.asked += found.tried
        return found

    def each(self, pieces: Sequence[Piece], *, also: tuple[str, ...] = ()) -> list[Tried]:
        """Try pieces in as few sessions as there is room in; where one fails, its halves, down to single pieces."""
        return [tried for group in self._groups(pieces, also=also) for tried in self._divided(group, also=also)]

    def one(self, piece: Piece, *, also: tuple[str, ...] = ()) -> Tried:
        """Try one piece in a session of its own."""
        (tried,) = self._divided([piece], also=also)
        return tried

    def _divided(self, pieces: Sequence[Piece], *, also: tuple[str, ...]) -> list[Tried]:
        found = self.session(pieces, also=also)
        if found.ended.ending == "ran":
            return list(found.tried)
        if len(pieces) == 1:
            return [Tried(pieces[0], found.ended.ending, found.ended.message)]
        middle = len(pieces) // 2
        return [*self._divided(pieces[:middle], also=also), *self._divided(pieces[middle:], also=also)]

    def _run(self, pieces: Sequence[Piece], *, also: tuple[str, ...], verbose: bool) -> Session:
        needed = [name for piece in pieces for name in (*given(self.graph, piece), *read_of(self.graph, piece, also))]
        self.reference.compute(needed)
        made = cut(self.graph, pieces, self.reference, also=also)
        owner = {name: (number, value) for number, read in enumerate(made.reads) for name, value in read.items()}
        judged: list[list[Comparison]] = [[] for _ in pieces]

        def take(name: str, got: NDArray[Any]) -> None:
            number, value = owner[name]
            want = self.reference[value]
            judged[number].append(judge(self.engine.name, self.terms.sample, value, want, got, self.terms.tolerance))

        feeds = {name: self.reference[value] for name, value in made.feeds.items()}
        ended = self.engine.attempt(made.model.SerializeToString(), feeds, take, verbose=verbose)
        if ended.ending != "ran":
            return Session(ended)
        missing = [
            name for name in owner if name not in {f"p{n}/{c.subject.output}" for n, g in enumerate(judged) for c in g}
        ]
        if missing:
            return Session(Ended("throws", f"no output {missing[0]}"))
        return Session(
            ended, tuple(Tried(piece, "ran", "", tuple(found)) for piece, found in zip(pieces, judged, strict=True))
        )

    def _groups(self, pieces: Sequence[Piece], *, also: tuple[str, ...]) -> Iterator[list[Piece]]:
        group: list[Piece] = []
        room = self.terms.room
        for piece in pieces:
            crossing = (*given(self.graph, piece), *read_of(self.graph, piece, also))
            size = sum(map(self.graph.bytes, crossing))
            if group and size > room:
                yield group
                group, room = [], self.terms.room
            group.append(piece)
            room -= size
        if group:
            yield group


def _counted(pieces: Sequence[Piece]) -> str:
    nodes = sum(map(len, pieces))
    parts = "" if len(pieces) == 1 else f" in {len(pieces)} pieces"
    return f"{nodes} node{'s' * (nodes != 1)}{parts}"


def _told(session: Session) -> str:
    if session.ended.ending != "ran":
        return session.ended.ending
    wrong = sum(tried.verdict == "differs" for tried in session.tried)
    return f"{wrong} of {len(session.tried)} differ" if wrong else "agrees"
