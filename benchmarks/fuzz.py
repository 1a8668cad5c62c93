"""Write the table of `docs/fuzz.md`, outcomes of malformed inputs, from `make fuzz`'s pytest and vitest reports.

python -m benchmarks.fuzz test-results/fuzz-python.json test-results/vitest.json --write
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

PAGE = Path(__file__).parents[1] / "docs" / "fuzz.md"
LEAST = 20_000
"""Smallest number of refused inputs in a complete run."""


class Row(Struct, frozen=True):
    """Outcomes of one kind of input: the number accepted, and the numbers refused by error code."""

    what: str
    ended: dict[str, int]

    @property
    def refused(self) -> int:
        """The number of refused inputs."""
        return sum(self.ended.values()) - self.ended.get("accepted", 0)


def read_report(path: Path) -> list[tuple[str, Row]]:
    """Return the rows of a report, each with the reader of its inputs.

    Raises:
        SystemExit: a test failed, or none has rows.
    """
    report: Any = msgspec.json.decode(path.read_bytes())
    if isinstance(report, list):
        return [("pack, verify", msgspec.convert(row, Row)) for row in report]
    if not report["success"]:
        raise SystemExit(f"{path}: a test failed, so nothing is written")
    tests = [test for file in report["testResults"] for test in file["assertionResults"]]
    found = [row for test in tests for row in test["meta"].get("fuzzed", [])]
    if not found:
        raise SystemExit(f"{path}: no test has random inputs")
    return [("the runtime", msgspec.convert(row, Row)) for row in found]


def table(rows: Sequence[tuple[str, Row]]) -> str:
    """Return the rows and their sum as Markdown."""
    lines = ["| read by | inputs | drawn | accepted | refused | by code |", "|---|---|---|---|---|---|"]
    for reader, row in rows:
        drawn, codes = sum(row.ended.values()), sorted(row.ended.items(), key=lambda item: -item[1])
        named = ", ".join(f"`{code}` {count:,}" for code, count in codes if code != "accepted")
        cells = (reader, row.what, f"{drawn:,}", f"{drawn - row.refused:,}", f"{row.refused:,}", named)
        lines.append(f"| {' | '.join(cells)} |")
    drawn, refused = (sum(each) for each in zip(*((sum(r.ended.values()), r.refused) for _, r in rows), strict=True))
    lines.append(f"| | all, {date.today().isoformat()} | {drawn:,} | {drawn - refused:,} | {refused:,} | |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print the table; with `--write` also write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, nargs="+", metavar="report")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = [row for path in args.reports for row in read_report(path)]
    print(table(rows), end="")
    if args.write and sum(row.refused for _, row in rows) < LEAST:
        raise SystemExit(f"not written: fewer than {LEAST:,} inputs were refused")
    if args.write:
        replace_marked(PAGE, table(rows), "fuzz")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
