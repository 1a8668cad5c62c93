"""Bisection of a model: opens the reference and the backend in a browser, and searches each input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from webbuild.bisect.culprit import BisectResult
from webbuild.bisect.model_under_test import BisectInput, ModelUnderTest
from webbuild.bisect.report import BisectReport, build_findings
from webbuild.bisect.search import search_culprits
from webbuild.bisect.subgraph_runner import RunSettings, SubgraphRunner
from webbuild.bisect.trial_result import SessionResult
from webbuild.browser.driven_browser import BrowserName
from webbuild.browser.open_browser import open_local_browser
from webbuild.compare.arrays import RELATIVE_TOLERANCE
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.cache_folder import cache_folder
from webbuild.ortweb.browser_session import BrowserSession, SessionOptions, open_sessions
from webbuild.ortweb.build import get_build
from webbuild.ortweb.result_journal import Journal, hash_values
from webbuild.runners.content_hash import hash_tensors
from webbuild.runners.native_unoptimized import UnoptimizedNativeRunner
from webbuild.runners.session import SessionRunner
from webbuild.subgraph.activations import ReferenceActivations
from webbuild.targets.target import Target

ProgressCallback = Callable[[str], None]


class BisectOptions(Struct, frozen=True):
    """Options of the search: browser, reference, tolerance, and the time limit of a session in seconds.

    The tolerance is relative to a value's largest magnitude. `resume` reuses the sessions of an interrupted search.
    """

    browser: BrowserName = "chromium"
    reference: str = "native"
    tolerance: float = RELATIVE_TOLERANCE
    seconds: float = 300
    resume: bool = False


@contextmanager
def bisect_in_browser(
    subject: ModelUnderTest, how: BisectOptions, say: ProgressCallback = lambda _: None
) -> Iterator[tuple[BisectReport, BisectResult, SubgraphRunner]]:
    """Search a model in a browser; the reference's values exist inside the `with` block.

    Raises:
        WebbuildError: `no-reference`, `missing-input`, `nothing-to-bisect`, `chromium-crashed`, `no-adapter`,
            `missing-adapter-feature`, `engine-failed`; see `open_local_browser`.
    """
    _check(subject)
    with _open_runners(subject, how) as (backend, other), TemporaryDirectory(prefix="webbuild-bisect-") as folder:
        yield search_inputs(subject, how, backend, other, Path(folder), say)


def search_inputs(
    subject: ModelUnderTest,
    how: BisectOptions,
    backend: SessionRunner,
    other: SessionRunner,
    folder: Path,
    say: ProgressCallback = lambda _: None,
) -> tuple[BisectReport, BisectResult, SubgraphRunner]:
    """Search each input until one differs: `backend` against `other`; the values of `other` are stored in `folder`."""
    known = hash_values(
        subject.sha256, subject.graph.outputs, msgspec.to_builtins(subject.options), backend.name, other.name
    )
    journal = Journal(SessionResult, cache_folder() / "bisect" / f"{known[:32]}.jsonl", resume=how.resume)
    sessions, compared, differs = 0, 0, False
    first_finding: tuple[BisectInput, BisectResult, SubgraphRunner] | None = None
    for number, case in enumerate(subject.inputs):
        work_dir = folder / str(number)
        work_dir.mkdir()
        settings = RunSettings(sample=case.title, tolerance=how.tolerance, key=f"{known} {hash_tensors(case.feeds)}")
        runner = SubgraphRunner(
            subject.graph,
            ReferenceActivations(subject.graph, case.feeds, other, work_dir),
            backend,
            settings,
            journal,
            say,
        )
        if len(subject.inputs) > 1:
            say(f"sample {case.title}:")
        result = search_culprits(runner)
        sessions, compared = sessions + result.sessions, compared + result.compared_values
        first_finding = case, result, runner
        if differs := result.whole_graph.verdict != "agrees":
            break
    assert first_finding is not None
    journal.delete()
    case, result, runner = first_finding
    report = BisectReport(
        subject=subject.name,
        sha256=subject.sha256,
        engine=backend.name,
        reference=other.name,
        options=subject.options.session_options(subject.build.target.build),
        tolerance=how.tolerance,
        sample=case.title if differs else ", ".join(each.title for each in subject.inputs),
        nodes=len(subject.graph.nodes),
        sessions=sessions,
        compared_values=compared,
        whole_graph_verdict=result.whole_graph.verdict,
        findings=build_findings(subject.graph, result),
        depth_errors=result.depth_errors,
        unresolved=len(result.unresolved),
        unfinished=result.unfinished,
        assumptions=subject.assumptions,
    )
    return report, result, runner


@contextmanager
def _open_runners(subject: ModelUnderTest, how: BisectOptions) -> Iterator[tuple[BrowserSession, SessionRunner]]:
    """Start the browser with the model's engine build, and the reference: native, or the WebAssembly build."""
    build = subject.build
    wasm = build.target.build == "wasm" and how.reference == "native"
    with open_local_browser(how.browser, webgpu=not wasm) as browser:
        if how.reference == "native":
            with open_sessions(browser, [(build, subject.options)], how.seconds) as (backend,):
                backend.require_features(subject.features)
                yield backend, UnoptimizedNativeRunner()
            return
        other = get_build(Target(build.target.version, "wasm"), cache_folder())
        wanted = [(build, subject.options), (other, SessionOptions())]
        with open_sessions(browser, wanted, how.seconds) as (backend, reference):
            backend.require_features(subject.features)
            yield backend, reference


def _check(subject: ModelUnderTest) -> None:
    if not subject.graph.nodes or not subject.graph.outputs:
        raise WebbuildError(
            "nothing-to-bisect",
            f"{subject.name}: no node computes an output, so there is nothing to search",
            "give a model that computes something",
            exit_code=USAGE,
        )
    for case in subject.inputs:
        if missing := [
            name for name in subject.graph.inputs if name not in case.feeds and name in _values_read(subject)
        ]:
            raise WebbuildError(
                "missing-input",
                f"{subject.name}: '{case.title}' has no tensor for input '{missing[0]}'",
                "give every input in an .npz file: --sample FILE",
                exit_code=USAGE,
            )


def _values_read(subject: ModelUnderTest) -> set[str]:
    return {name for names in subject.graph.reads for name in names}
