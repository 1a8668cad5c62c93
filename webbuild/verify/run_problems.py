"""What went wrong around a run, as problems of a report: in the page, on its console, or as nothing was compared."""

from __future__ import annotations

from webbuild.browser.console import Console, ConsoleMessage
from webbuild.verify.page_rpc import PageError
from webbuild.verify.report import Problem, SampleResult


def fallback_only_problems(backend: str, results: list[SampleResult]) -> list[Problem]:
    """A backend that hands every sample to its fallback agrees with itself: its own answers were not compared."""
    if not results or not all(result.fallback_reason for result in results):
        return []
    return [
        Problem(
            code="only-fallback",
            where=backend,
            message="every sample was run again on the fallback graph: nothing is known of this backend's own answers",
            fix="give pictures with fewer objects: --sample FILE...",
        )
    ]


def page_error_problem(backend: str, error: PageError) -> Problem:
    """Return what a page failed with, as a problem of its backend."""
    failure = error.failure
    return Problem(
        code=failure.code,
        where=backend,
        message=failure.message,
        fix=failure.fix or "open the bundle with `webbuild serve` and look at the browser's console",
    )


def console_problems(backend: str, console: Console) -> list[Problem]:
    """Return what a page complained of, as problems of its backend."""
    return [_console_problem(backend, message) for message in console.errors]


def _console_problem(backend: str, message: ConsoleMessage) -> Problem:
    return Problem(
        code="gpu-error" if message.is_gpu_error else "console-error",
        where=backend,
        message=f"{message.text.strip()[:500]} ({message.location.rsplit('/', 1)[-1]})",
        fix="a page that works says nothing: `webbuild serve` the bundle and look at the browser's console",
    )
