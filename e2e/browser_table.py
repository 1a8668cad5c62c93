"""Measurements in each browser: stored as JSON, shown as two tables in the docs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.verify import formatting

ROOT = Path(__file__).parents[1]
PAGE, MEASURED = ROOT / "docs" / "browsers.md", ROOT / "benchmarks" / "results" / "browsers.json"
BEGIN, END = "<!-- {}: written by `make browsers` -->\n", "<!-- /{} -->\n"


class Place(Struct, frozen=True, rename="camel"):
    """Where something was measured: the browser, its version, and the adapter (or the processor for WASM)."""

    browser: str
    version: str
    adapter: str

    @property
    def title(self) -> str:
        """Browser and version, as shown in the tables; for WebKitGTK the first two numbers of the version."""
        numbers = self.version.split(".")
        return f"{self.browser} {'.'.join(numbers[: 2 if self.browser == 'WebKitGTK' else 1])}"


class Row(Struct, frozen=True, rename="camel"):
    """One backend in one browser, on the golden sample of the pose model.

    `found` is the number of objects that agree with native ONNX Runtime; `pixels` (of the source image) and `score` are
    the largest differences.
    """

    place: Place
    backend: str
    isolated: bool
    build: str
    threads: int
    found: int
    pixels: float
    score: float

    @property
    def lasting(self) -> tuple[object, ...]:
        """The values that are the same on every machine."""
        return self.place.browser, self.backend, self.isolated, self.build, self.threads, self.found


class BundleRow(Struct, frozen=True, rename="camel"):
    """One graph of a shipped bundle in one browser, on all its samples.

    `same` of `compared` values agree with native ONNX Runtime; the largest difference is `share` of its tolerance.
    `problem` is the first other failure, or the reason why the graph was not run.
    """

    bundle: str
    graph: str
    place: Place
    same: int
    compared: int
    share: float
    problem: str = ""


class Measured(Struct, frozen=True, rename="camel"):
    """All measurements, with their date and machine."""

    date: str
    machine: str
    rows: tuple[Row, ...]
    bundles: tuple[BundleRow, ...]


def read() -> Measured:
    """Return the last measurements."""
    return msgspec.json.decode(MEASURED.read_bytes(), type=Measured)


def write(found: Measured) -> None:
    """Store the measurements, and update the tables in the docs."""
    MEASURED.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
    page = PAGE.read_text("utf-8")
    for name, lines in tables(found).items():
        before, _, after = parts(page, name)
        page = f"{before}{BEGIN.format(name)}{lines}{END.format(name)}{after}"
    PAGE.write_text(page, "utf-8")


def parts(page: str, name: str) -> tuple[str, str, str]:
    """Return the text before a table, the table, and the text after it."""
    before, begin, rest = page.partition(BEGIN.format(name))
    shown, end, after = rest.partition(END.format(name))
    assert begin, f"{PAGE.name} has lost its line {BEGIN.format(name).strip()}"
    assert end, f"{PAGE.name} has lost its line {END.format(name).strip()}"
    return before, shown, after


def tables(found: Measured) -> dict[str, str]:
    """Return the tables by name, as Markdown."""
    when = f"Measured {found.date} on {found.machine}.\n\n"
    isolation = [
        "browser",
        "adapter",
        "backend",
        "isolated",
        "engine build",
        "threads",
        "answers",
        "largest difference",
    ]
    bundles = ["bundle", "graph", *(f"{place.title}, {place.adapter}" for place in _places(found.bundles))]
    return {
        "browsers": when + _table(isolation, [_cells(row) for row in found.rows]),
        "bundles": when + _table(bundles, _bundle_cells(found.bundles)),
    }


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = "|" + "---|" * len(head) + "\n"
    return rule.join("".join(f"| {' | '.join(line)} |\n" for line in lines) for lines in ([head], rows))


def _cells(row: Row) -> list[str]:
    difference = f"{formatting.format_number(row.pixels)} px, score {formatting.format_number(row.score)}"
    where = [row.place.title, row.place.adapter, formatting.runner_name(row.backend), "yes" if row.isolated else "no"]
    return [*where, row.build, str(row.threads), f"{row.found} of {row.found} people", difference]


def _places(rows: Sequence[BundleRow]) -> list[Place]:
    return list(dict.fromkeys(row.place for row in rows))


def _bundle_cells(rows: Sequence[BundleRow]) -> list[list[str]]:
    found = {(row.bundle, row.graph, row.place): row for row in rows}
    subjects = dict.fromkeys((row.bundle, row.graph) for row in rows)
    return [
        [bundle, formatting.runner_name(graph), *(_cell(found.get((bundle, graph, each))) for each in _places(rows))]
        for bundle, graph in subjects
    ]


def _cell(row: BundleRow | None) -> str:
    if row is None:
        return ""
    if row.problem:
        return row.problem
    said = f"{row.same} of {row.compared}"
    within = formatting.format_number(row.share * 100)
    return f"{said if row.same == row.compared else f'**{said}**'}, {within} %"
