"""The tables of the page: measurements by model and backend, and failures."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from benchmarks.npm_packages import ENGINE, TRANSFORMERS
from benchmarks.side_by_side.measure import RunCounts, matching_boxes
from benchmarks.side_by_side.table import table_rows
from benchmarks.transformers_js.page_loads import BUNDLE, EXPORTED, PATCHED, FailedRuntime, VisitResults
from webbuild.verify import formatting

Found = Mapping[str, Mapping[str, VisitResults]]
"""Results by the model's title and backend."""


class Plan(Struct, frozen=True):
    """The number of visits, runs and pictures of a backend."""

    visits: int
    pictures: int
    effort: RunCounts

    def __str__(self) -> str:
        counted = ((self.visits, "visit"), (self.effort.runs, "run"), (self.pictures, "picture"))
        visits, runs, pictures = (f"{number} {noun}{'s' * (number != 1)}" for number, noun in counted)
        return f"{visits} of {runs} on {pictures}"


def render_text(found: Found, plans: Mapping[str, Plan], browser: str) -> str:
    """Return the text between the page's markers; `plans` by backend."""
    sides = [
        each.sides[BUNDLE] for by_backend in found.values() for each in by_backend.values() if BUNDLE in each.sides
    ]
    adapters = " and ".join(dict.fromkeys(side.adapter for side in sides if side.adapter))
    lines = [f"- Chromium {browser}; {TRANSFORMERS.name} {TRANSFORMERS.version} on {ENGINE.name} {ENGINE.version}."]
    for backend, plan in plans.items():
        adapter = f" (adapter: {adapters or 'none'})" if backend == "webgpu" else ""
        lines.append(f"- {formatting.runner_name(backend)}{adapter}: {plan}.")
    for title, by_backend in found.items():
        lines += ["", f"### {title}", "", *render_table(by_backend)]
    return "\n".join([*lines, *render_failures(found), ""])


def render_table(found: Mapping[str, VisitResults]) -> list[str]:
    """Return a model's table, and the number of matching objects."""
    lines = ["| backend | | bundle : transformers.js | bundle | transformers.js |", "|---|---|---|---|---|"]
    notes: list[str] = []
    for backend, each in found.items():
        ours, theirs = each.sides.get(BUNDLE), each.sides.get(EXPORTED, each.sides.get(PATCHED))
        lines += table_rows(backend, ours, theirs)
        if PATCHED in each.sides:
            notes += [
                "",
                f"{formatting.runner_name(backend)}: transformers.js has the graph that `webbuild patch` makes.",
            ]
        if ours is not None and theirs is not None:
            equal, all_ = matching_boxes(ours, theirs)
            notes += [
                "",
                f"{formatting.runner_name(backend)}: {equal} of {all_} objects are the same to an overlap of 0.9.",
            ]
    return [*lines, *notes]


def render_failures(found: Found) -> list[str]:
    """Return the table of failures with their messages; empty without failures."""
    lines = [
        f"| {title} | {formatting.runner_name(backend)} | {failed.way} | {_code(failed)} |"
        for title, by_backend in found.items()
        for backend, each in by_backend.items()
        for failed in each.failed
    ]
    head = ["", "### What did not run", "", "| model | backend | | said |", "|---|---|---|---|"]
    return [*head, *lines] if lines else []


def is_vacuous(each: VisitResults) -> bool:
    """Whether both ran without an object in common: then their times are not comparable."""
    ours, theirs = each.sides.get(BUNDLE), each.sides.get(EXPORTED, each.sides.get(PATCHED))
    return ours is not None and theirs is not None and matching_boxes(ours, theirs)[0] == 0


def _code(failed: FailedRuntime) -> str:
    return f"`{failed.said.replace('`', chr(39)).replace('|', chr(92) + '|')}`"
