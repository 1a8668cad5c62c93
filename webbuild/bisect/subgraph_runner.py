"""Runs pieces on the backend and compares them with the reference: many pieces per session, sessions are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from webbuild.bisect.compare_values import compare_value
from webbuild.bisect.trial_result import SessionResult, SubgraphResult
from webbuild.compare.arrays import RELATIVE_TOLERANCE
from webbuild.compare.comparison import Comparison
from webbuild.ortweb.result_journal import Journal, hash_values
from webbuild.runners.session import ModelRunResult, SessionRunner
from webbuild.subgraph.activations import ReferenceActivations
from webbuild.subgraph.extract import Subgraph, extract_subgraphs, subgraph_inputs, values_to_read
from webbuild.subgraph.graph import ModelGraph

_SESSION_BYTES = 256 << 20
"""Limit of the bytes of a session's inputs and outputs, without weights."""


class RunSettings(Struct, frozen=True):
    """Settings of the comparison. `key` identifies the model, the inputs and the engine."""

    sample: str = "input"
    tolerance: float = RELATIVE_TOLERANCE
    key: str = ""
    session_bytes: int = _SESSION_BYTES


class SubgraphRunner:
    """Runs pieces of one graph on one backend with one input.

    Args:
        graph: the graph.
        reference: the reference's values.
        engine: the backend.
        settings: the settings of the comparison.
        journal: the results of earlier sessions.
        say: called with a line for every session.
    """

    def __init__(
        self,
        graph: ModelGraph,
        reference: ReferenceActivations,
        engine: SessionRunner,
        settings: RunSettings | None = None,
        journal: Journal[SessionResult] | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.graph, self.reference, self.engine = graph, reference, engine
        self.settings = settings or RunSettings()
        self._journal = journal or Journal(SessionResult)
        self._say = say
        self.sessions = 0
        self.results: list[SubgraphResult] = []

    def run_session(
        self, pieces: Sequence[Subgraph], *, also: tuple[str, ...] = (), verbose: bool = False
    ) -> SessionResult:
        """Run pieces in one session. A session in the journal is not run again."""
        key = hash_values(
            self.settings.key, self.engine.name, self.reference.name, self.settings.tolerance, pieces, also, verbose
        )
        known = self._journal.records.get(key)
        self.sessions += 1
        title = f"session {self.sessions}: {_count_subgraphs(pieces)}"
        self._say(title)
        result = known or self._run(pieces, also=also, verbose=verbose)
        self._say(f"{title}: {_session_summary(result)}{', as before' if known else ''}")
        if known is None:
            self._journal.add({key: result})
        self.results += result.results
        return result

    def run_each(self, pieces: Sequence[Subgraph], *, also: tuple[str, ...] = ()) -> list[SubgraphResult]:
        """Run pieces in as few sessions as memory allows; a failing session is halved, down to single pieces."""
        return [tried for group in self._groups(pieces, also=also) for tried in self._run_divided(group, also=also)]

    def run_one(self, piece: Subgraph, *, also: tuple[str, ...] = ()) -> SubgraphResult:
        """Run one piece in its own session."""
        (tried,) = self._run_divided([piece], also=also)
        return tried

    def _run_divided(self, pieces: Sequence[Subgraph], *, also: tuple[str, ...]) -> list[SubgraphResult]:
        result = self.run_session(pieces, also=also)
        if result.run.status == "ran":
            return list(result.results)
        if len(pieces) == 1:
            return [failed_result(pieces[0], result.run)]
        middle = len(pieces) // 2
        return [*self._run_divided(pieces[:middle], also=also), *self._run_divided(pieces[middle:], also=also)]

    def _run(self, pieces: Sequence[Subgraph], *, also: tuple[str, ...], verbose: bool) -> SessionResult:
        needed = [
            name
            for piece in pieces
            for name in (*subgraph_inputs(self.graph, piece), *values_to_read(self.graph, piece, also))
        ]
        self.reference.compute(needed)
        extracted = extract_subgraphs(self.graph, pieces, self.reference, also=also)
        owner = {name: (number, value) for number, read in enumerate(extracted.outputs) for name, value in read.items()}
        by_piece: list[list[Comparison]] = [[] for _ in pieces]

        def take(name: str, got: NDArray[Any]) -> None:
            number, value = owner[name]
            want = self.reference[value]
            quantized = value in self.graph.quantized_values
            by_piece[number].append(
                compare_value(
                    self.engine.name,
                    self.settings.sample,
                    value,
                    want,
                    got,
                    self.settings.tolerance,
                    quantized=quantized,
                )
            )

        feeds = {name: self.reference[value] for name, value in extracted.feeds.items()}
        ended = self.engine.run_model(extracted.model.SerializeToString(), feeds, take, verbose=verbose)
        if ended.status != "ran":
            return SessionResult(ended)
        missing = [
            name
            for name in owner
            if name not in {f"p{n}/{c.subject.output}" for n, g in enumerate(by_piece) for c in g}
        ]
        if missing:
            return SessionResult(ModelRunResult("throws", f"no output {missing[0]}"))
        return SessionResult(
            ended,
            tuple(
                SubgraphResult(piece, "ran", "", tuple(comparisons))
                for piece, comparisons in zip(pieces, by_piece, strict=True)
            ),
        )

    def _groups(self, pieces: Sequence[Subgraph], *, also: tuple[str, ...]) -> Iterator[list[Subgraph]]:
        group: list[Subgraph] = []
        bytes_left = self.settings.session_bytes
        for piece in pieces:
            crossing = (*subgraph_inputs(self.graph, piece), *values_to_read(self.graph, piece, also))
            size = sum(map(self.graph.bytes, crossing))
            if group and size > bytes_left:
                yield group
                group, bytes_left = [], self.settings.session_bytes
            group.append(piece)
            bytes_left -= size
        if group:
            yield group


def failed_result(piece: Subgraph, ended: ModelRunResult) -> SubgraphResult:
    """Return the result of a piece with a failed session."""
    return SubgraphResult(piece, ended.status, ended.message, shader=ended.shader)


def _count_subgraphs(pieces: Sequence[Subgraph]) -> str:
    nodes = sum(map(len, pieces))
    parts = "" if len(pieces) == 1 else f" in {len(pieces)} pieces"
    return f"{nodes} node{'s' * (nodes != 1)}{parts}"


def _session_summary(session: SessionResult) -> str:
    if session.run.status != "ran":
        return session.run.status
    wrong = sum(tried.verdict == "differs" for tried in session.results)
    return f"{wrong} of {len(session.results)} {'differs' if wrong == 1 else 'differ'}" if wrong else "agrees"
