"""What was measured in which browser: kept as JSON, shown as a table in the docs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.verify import formatting

ROOT = Path(__file__).parents[1]
PAGE, MEASURED = ROOT / "docs" / "browsers.md", ROOT / "benchmarks" / "results" / "browsers.json"
BEGIN, END = "<!-- browsers: written by `make browsers` -->\n", "<!-- /browsers -->\n"


class Row(Struct, frozen=True, rename="camel"):
    """One backend in one browser, on the golden sample.

    `found` are the objects that agree with native ONNX Runtime, None where the backend is not there; `pixels` and
    `score` the largest differences, `pixels` in those of the picture.
    """

    browser: str
    version: str
    backend: str
    isolated: bool
    build: str = ""
    threads: int = 0
    found: int | None = None
    pixels: float = 0.0
    score: float = 0.0

    @property
    def lasting(self) -> tuple[object, ...]:
        """What is the same on every machine."""
        return self.browser, self.backend, self.isolated, self.build, self.threads, self.found


def read() -> list[Row]:
    """Return the measured rows."""
    return msgspec.json.decode(MEASURED.read_bytes(), type=list[Row])


def write(rows: Sequence[Row]) -> None:
    """Keep the rows, and show them in the docs."""
    MEASURED.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
    before, _, after = parts(PAGE.read_text("utf-8"))
    PAGE.write_text(f"{before}{BEGIN}{table(rows)}{END}{after}", "utf-8")


def parts(page: str) -> tuple[str, str, str]:
    """Return what is before the table, the table, and what is after it."""
    before, begin, rest = page.partition(BEGIN)
    shown, end, after = rest.partition(END)
    assert begin, f"{PAGE.name} has lost its line {BEGIN.strip()}"
    assert end, f"{PAGE.name} has lost its line {END.strip()}"
    return before, shown, after


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
    head = "| browser | backend | isolated | engine build | threads | same answers | largest difference |\n"
    return head + "|---|---|---|---|---|---|---|\n" + "".join(map(_line, rows))


def _line(row: Row) -> str:
    name = f"{row.browser} {row.version.split('.')[0]}"
    isolated = "yes" if row.isolated else "no"
    if row.found is None:
        cells = [name, formatting.runner_name(row.backend), isolated, "", "", "not there: `auto` takes WASM", ""]
    else:
        difference = f"{formatting.format_number(row.pixels)} px, score {formatting.format_number(row.score)}"
        cells = [name, formatting.runner_name(row.backend), isolated, row.build, str(row.threads)]
        cells += [f"{row.found} of {row.found} people", difference]
    return f"| {' | '.join(cells)} |\n"
