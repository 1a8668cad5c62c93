"""Problems of a run: page errors, console errors, and runs that only used the fallback."""

from __future__ import annotations

from webbuild.browser.console import Console, ConsoleMessage
from webbuild.verify.page_rpc import PageError
from webbuild.verify.report import Problem, SampleResult


def fallback_only_problems(backend: str, results: list[SampleResult]) -> list[Problem]:
    """Return a problem if every sample ran on the fallback: the backend's own results were not compared."""
    if not results or not all(result.fallback_reason for result in results):
        return []
    return [
        Problem(
            code="only-fallback",
            where=backend,
            message="every sample was run again on the fallback graph: this backend's own results were not compared",
            fix="give pictures with fewer objects: --sample FILE...",
        )
    ]


def page_error_problem(backend: str, error: PageError) -> Problem:
    """Return the page's error as a problem of its backend."""
    failure = error.failure
    return Problem(
        code=failure.code,
        where=backend,
        message=failure.message,
        fix=failure.fix or "open the bundle with `webbuild serve` and look at the browser's console",
    )


def console_problems(backend: str, console: Console) -> list[Problem]:
    """Return the page's console errors as problems of its backend."""
    return [_console_problem(backend, message) for message in console.errors]


def _console_problem(backend: str, message: ConsoleMessage) -> Problem:
    return Problem(
        code="gpu-error" if message.is_gpu_error else "console-error",
        where=backend,
        message=f"{message.text.strip()[:500]} ({message.location.rsplit('/', 1)[-1]})",
        fix="run `webbuild serve` on the bundle and look at the browser's console: a working page logs no errors",
    )
