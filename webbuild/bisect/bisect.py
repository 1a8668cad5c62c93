"""The whole of it: a subject, its reference, the backend in Chromium, and a search for each input until one differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from webbuild.bisect.browser import Browser, Options, browsers
from webbuild.bisect.engine import Engine
from webbuild.bisect.found import Result
from webbuild.bisect.journal import Journal, digest, digest_of
from webbuild.bisect.native import Native
from webbuild.bisect.reference import Reference
from webbuild.bisect.report import Report, findings
from webbuild.bisect.search import search
from webbuild.bisect.subject import Case, Subject
from webbuild.bisect.tester import Terms, Tester
from webbuild.browser.chromium import chromium
from webbuild.errors import USAGE, WebbuildError
from webbuild.probe.engine import PROVIDERS, cache_folder, engine
from webbuild.targets.target import Target
from webbuild.verify.compare import RELATIVE

Say = Callable[[str], None]


class How(Struct, frozen=True):
    """On which terms: the reference, the tolerance relative to a value's largest magnitude, seconds for a session."""

    against: str = "native"
    tolerance: float = RELATIVE
    seconds: float = 300
    resume: bool = False


@contextmanager
def searched(subject: Subject, how: How, say: Say = lambda _: None) -> Iterator[tuple[Report, Result, Tester]]:
    """Search a subject in Chromium; the reference's values last for the block.

    Raises:
        WebbuildError: `no-reference`, `no-inputs`, `no-nodes`, `no-chromium`, `chromium-failed`, `chromium-died`,
            `no-adapter`, `no-feature`, `engine-failed`.
    """
    _check(subject)
    with engines(subject, how) as (backend, other), TemporaryDirectory(prefix="webbuild-bisect-") as folder:
        yield look(subject, how, backend, other, Path(folder), say)


def look(
    subject: Subject, how: How, backend: Engine, other: Engine, folder: Path, say: Say = lambda _: None
) -> tuple[Report, Result, Tester]:
    """Search each input until one differs: on `backend`, against `other`, whose values are kept in `folder`."""
    known = digest(
        subject.sha256, subject.graph.outputs, msgspec.to_builtins(subject.options), backend.name, other.name
    )
    journal = Journal(cache_folder() / "bisect" / f"{known[:32]}.jsonl", resume=how.resume)
    sessions = compared = 0
    found: tuple[Case, Result, Tester] | None = None
    for number, case in enumerate(subject.cases):
        room = folder / str(number)
        room.mkdir()
        terms = Terms(sample=case.title, tolerance=how.tolerance, key=f"{known} {digest_of(case.feeds)}")
        tester = Tester(subject.graph, Reference(subject.graph, case.feeds, other, room), backend, terms, journal, say)
        result = search(tester)
        sessions, compared = sessions + result.sessions, compared + result.compared
        found = case, result, tester
        if result.whole.verdict != "agrees":
            break
    assert found is not None
    journal.delete()
    case, result, tester = found
    report = Report(
        subject=subject.name,
        sha256=subject.sha256,
        engine=backend.name,
        reference=other.name,
        options=subject.options.told(PROVIDERS[subject.engine.target.build]),
        tolerance=how.tolerance,
        sample=case.title,
        nodes=len(subject.graph.nodes),
        sessions=sessions,
        compared=compared,
        whole=result.whole.verdict,
        findings=findings(subject.graph, result),
        depths=result.depths,
        untried=len(result.untried),
        unfinished=result.unfinished,
        assumptions=subject.assumptions,
    )
    return report, result, tester


@contextmanager
def engines(subject: Subject, how: How) -> Iterator[tuple[Browser, Engine]]:
    """Start Chromium with the subject's build, and the reference: native, or the build for WebAssembly."""
    build = subject.engine
    wasm = build.target.build == "wasm" and how.against == "native"
    with chromium(webgpu=not wasm) as browser:
        if how.against == "native":
            with browsers(browser, [(build, subject.options)], how.seconds) as (backend,):
                backend.require(subject.features)
                yield backend, Native()
            return
        other = engine(Target(build.target.version, "wasm"), cache_folder())
        wanted = [(build, subject.options), (other, Options())]
        with browsers(browser, wanted, how.seconds) as (backend, reference):
            backend.require(subject.features)
            yield backend, reference


def _check(subject: Subject) -> None:
    if not subject.graph.nodes or not subject.graph.outputs:
        raise WebbuildError(
            "no-nodes",
            f"{subject.name}: no node computes an output, so there is nothing to search",
            "give a model that computes something",
            exit_code=USAGE,
        )
    for case in subject.cases:
        if missing := [name for name in subject.graph.inputs if name not in case.feeds and name in _read(subject)]:
            raise WebbuildError(
                "no-inputs",
                f"{subject.name}: '{case.title}' has nothing for input '{missing[0]}'",
                "give every input in an .npz file: --input FILE",
                exit_code=USAGE,
            )


def _read(subject: Subject) -> set[str]:
    return {name for names in subject.graph.reads for name in names}
