"""Write a table from the vitest reports of `make soak`: repeated actions, their outcomes, and memory.

    python -m benchmarks.soak test-results/soak-chromium.json test-results/soak-firefox-1.json --write

The rows are stored in `benchmarks/results`, the table in `docs/soak.md`. Rows without a new report stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.page_markers import replace_marked

ROOT = Path(__file__).parents[1]
DATA, PAGE = ROOT / "benchmarks" / "results" / "soak.json", ROOT / "docs" / "soak.md"

COLUMNS = (
    "done",
    "times",
    "each ended",
    "memory before",
    "grown in each third",
    "GPU buffers, textures",
    "WASM",
    "browser, adapter",
    "day",
)


class WorkerMemory(Struct, frozen=True):
    """A worker's resources: GPU buffers and textures, and bytes of WebAssembly memory."""

    buffers: int
    textures: int
    bytes: int


class Row(Struct, frozen=True):
    """An action repeated `times` times, and how each repetition ended.

    `heap` is memory in bytes before, and after each third of the repetitions: the JavaScript heap in Chromium, the
    page processes in Firefox. `memory` are resources before and after; None if each repetition had its own worker.
    """

    what: str
    times: int
    ended: str
    heap: tuple[int, ...]
    memory: WorkerMemory | None
    browser: str
    adapter: str
    day: str = ""


def read_report(path: Path, day: str) -> list[Row]:
    """Return the rows of a report of vitest.

    Raises:
        SystemExit: a test failed, or none has rows.
    """
    report = msgspec.json.decode(path.read_bytes())
    tests: list[dict[str, Any]] = [test for file in report["testResults"] for test in file["assertionResults"]]
    failed = [test["fullName"] for test in tests if test["status"] == "failed"]
    if failed or not report["success"]:
        raise SystemExit(f"{path}: tests failed, so nothing is written: {', '.join(failed) or 'see the report'}")
    found = [row for test in tests for row in test["meta"].get("soak", [])]
    if not found:
        raise SystemExit(f"{path}: no test has repeated actions")
    return [msgspec.convert({**row, "day": day}, Row) for row in found]


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
    head = "| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|\n"
    return head + "".join(map(_line, rows))


def _line(row: Row) -> str:
    steps = zip(row.heap, row.heap[1:], strict=False)
    memory = row.memory
    cells = [
        row.what,
        f"{row.times:,}",
        row.ended,
        _megabytes(row.heap[0]),
        ", ".join(f"{(after - before) / 1000:,.0f}" for before, after in steps) + " kB",
        "" if memory is None else f"{memory.buffers}, {memory.textures}",
        "" if memory is None else _megabytes(memory.bytes),
        f"{row.browser}, {_adapter(row.adapter)}",
        row.day,
    ]
    return f"| {' | '.join(cells)} |\n"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _adapter(name: str) -> str:
    """Return an adapter's name without the version of its compiler: llvmpipe."""
    return name.partition(" (")[0] or "not named"


def write(rows: Sequence[Row]) -> None:
    """Store the rows, and write the table in the docs."""
    measured = set(map(_key, rows))
    every = sorted([*(row for row in read() if _key(row) not in measured), *rows], key=_key)
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(every), indent=2) + b"\n")
    replace_marked(PAGE, table(every), "soak")


def _key(row: Row) -> tuple[str, str]:
    """Return the browser without its version, and the action."""
    return row.browser.split()[0], row.what


def read() -> list[Row]:
    """Return the stored rows."""
    return msgspec.json.decode(DATA.read_bytes(), type=list[Row]) if DATA.exists() else []


def main() -> int:
    """Print the table; with `--write` store it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, nargs="+", metavar="report")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = [row for path in args.reports for row in read_report(path, date.today().isoformat())]
    print(table(rows), end="")
    if args.write:
        write(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
