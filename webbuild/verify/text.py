"""The report as text: a table of the worst errors, then the failures and their fixes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from webbuild.compare.comparison import Comparison
from webbuild.errors import printable
from webbuild.reporting.comparison_text import describe_reason
from webbuild.reporting.problem_text import print_problems
from webbuild.reporting.quantities import format_count
from webbuild.reporting.terminal_tables import fitting_tables, unbroken
from webbuild.runners.chain import ALL_STAGES
from webbuild.verify import formatting
from webbuild.verify.report import BackendRun, VerifyReport

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_INTRODUCTION = "Largest differences from native ONNX Runtime on the original, for each sample:"
_MAX_FAILURES_SHOWN = 8
_STYLE = {"same": "bold green", "different": "bold red", "problem": "bold red", "vacuous": "bold yellow"}


def show_report(report: VerifyReport, console: Console, *, brief: bool = False) -> None:
    """Print a report. With `brief`, it is a single line if all results are equal."""
    from rich.text import Text

    kind, headline, sentence = formatting.verdict_text(report)
    brief = brief and kind == "same"
    if not brief and any(run.results for run in report.backends):
        console.print(_INTRODUCTION)
    for run in () if brief else report.backends:
        console.print(Text(_heading(run)))
        if run.results:
            for table in _tables(run, console.width):
                console.print(table)
    for note in formatting.reader_notes(report):
        console.print(Text(note), soft_wrap=brief)
    print_problems(report.all_problems(), console)
    failures = report.failures()
    for failure in failures[:_MAX_FAILURES_SHOWN]:
        console.print(Text(_line(failure), style="yellow" if failure.verdict == "VACUOUS" else "red"))
    if len(failures) > _MAX_FAILURES_SHOWN:
        console.print(f"and {len(failures) - _MAX_FAILURES_SHOWN} more: --json or --html shows them")
    if brief:
        sentence += f" {'; '.join(_run_time_text(run) for run in _timed_runs(report))}"
    verified = Text.assemble("verified: " if brief else "", (f"{headline}. ", _STYLE[kind]), sentence.rstrip())
    console.print(verified, soft_wrap=brief)


def _heading(run: BackendRun) -> str:
    placements = ", ".join(f"{format_count(p.count, 'node')} on {p.provider}" for p in run.placements)
    steady = f"{formatting.format_milliseconds(run.timings.steady_run)} a run" if run.timings else ""
    build = f"{run.engine_build} build" if run.engine_build else ""
    prompts = formatting.prompt_cost_text(run.prompt_cost) if run.prompt_cost else ""
    facts = [printable(fact) for fact in (run.adapter, build, placements, steady, prompts) if fact]
    instead = "not run" if run.skip_reason else "did not load"
    return f"\n{formatting.runner_name(run.backend)}: {', '.join(facts) or instead}"


def _timed_runs(report: VerifyReport) -> list[BackendRun]:
    """Return the runs with times: with several stages, the runs of all stages together if there are any."""
    timed = [run for run in report.backends if run.timings]
    pipeline = [run for run in timed if report.stages and ALL_STAGES in run.backend.split(" ")]
    return pipeline or timed


def _run_time_text(run: BackendRun) -> str:
    """Return the time of a run as text: `WebGPU 21.0 ms a run (google swiftshader)`."""
    adapter = f" ({printable(run.adapter)})" if run.adapter else ""
    steady = formatting.format_milliseconds(run.timings.steady_run) if run.timings else ""
    return f"{formatting.runner_name(run.backend)} {steady} a run{adapter}"


def _tables(run: BackendRun, width: int) -> Iterator[Table]:
    from rich.text import Text

    quantities = list(dict.fromkeys(each.subject.name for each in run.comparisons))
    rows = [
        [
            Text(printable(result.sample)),
            *(_cell([each for each in result.comparisons if each.subject.name == name]) for name in quantities),
        ]
        for result in run.results
    ]
    inputs = {each.subject.name for each in run.comparisons if each.subject.stage == "input"}
    titles = [f"input {name}" if name in inputs else name for name in quantities]
    return fitting_tables(["sample", *map(printable, titles)], rows, width)


def _cell(comparisons: list[Comparison]) -> Text:
    """Return the worst comparison of one quantity over the stages, as a table cell."""
    from rich.text import Text

    if not comparisons:
        return Text("")
    order = {"OK": 0, "VACUOUS": 1, "DIFFERS": 2}
    worst = max(comparisons, key=lambda c: (order[c.verdict], c.max_abs or 0.0))
    count = worst.subject.name == "detections"
    shown = (
        printable(worst.got)
        if count or worst.subject.name == "class"
        else unbroken(f"{formatting.format_number(worst.max_abs)} {worst.subject.unit}".strip())
    )
    match worst.verdict:
        case "OK":
            return Text(shown) if worst.signal else Text("none", style="dim")
        case "VACUOUS":
            return Text("nothing", style="yellow")
        case "DIFFERS":
            return Text(f"{shown}{f' of {worst.want}' if count else ''}", style="red")


def _line(failure: Comparison) -> str:
    about = failure.subject
    at = f" at {list(failure.worst)}: wanted {failure.want}, got {failure.got}" if failure.worst else ""
    where = f"{formatting.runner_name(about.runner)}, {about.sample}, {about.stage} {about.output}"
    return printable(f"{failure.verdict} {where}: {describe_reason(failure)}{at}")
