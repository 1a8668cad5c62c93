"""`webbuild targets`: list the measured builds, or the differences between two of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from webbuild.commands.options.targets import TargetsArguments
from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.reporting.write import encode_json
from webbuild.targets.table import OUTCOMES, KernelTable, load_table, measured_targets
from webbuild.targets.table_diff import TableChange, diff_tables
from webbuild.targets.target import parse_target


def run(arguments: TargetsArguments) -> int:
    """List the targets, or compare two. Return the exit code."""
    names, as_json = arguments.names, arguments.as_json
    if len(names) not in (0, 2):
        raise WebbuildError(
            "needs-two-targets",
            f"targets compares two builds, but got {len(names)}",
            "give two builds, such as 1.30.0-webgpu 1.30.0-wasm, or none to list them all",
            exit_code=USAGE,
        )
    if names:
        changes = list(diff_tables(load_table(parse_target(names[0])), load_table(parse_target(names[1]))))
        _write(changes, as_json, (str(change) for change in changes))
    else:
        rows = [_summary(load_table(target)) for target in measured_targets()]
        _write(rows, as_json, (_line(row) for row in rows))
    return CLEAN


_WORDS: dict[str, str] = {"none": "missing"} | {str(name): words for name, words in OUTCOMES.items()}
"""Texts of placements and outcomes: `gpu` is `on the GPU`."""


def _summary(measured: KernelTable) -> dict[str, Any]:
    kernels = Counter(
        placement
        for versions in measured.kernels.values()
        for places in versions.values()
        for placement, types in places.items()
        for _ in types
    )
    return {
        "target": measured.target.name,
        "measured": measured.measured,
        "adapter": measured.adapter,
        "browser": measured.browser,
        "native": measured.native,
        "kernels": dict(kernels.most_common()),
        "cases": dict(Counter(case.outcome for case in measured.cases).most_common()),
    }


def _line(row: dict[str, Any]) -> str:
    kernels, cases = (_counts(row[name]) for name in ("kernels", "cases"))
    where = "" if row["adapter"] == "none" else f" on {row['adapter']}"
    return (
        f"{row['target']}  measured {row['measured']} in {row['browser']}{where}\n"
        f"  kernels: {kernels}\n  cases: {cases}"
    )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {_WORDS[name]}" for name, count in counts.items()) or "none"


def _write(values: Sequence[TableChange] | Sequence[dict[str, Any]], as_json: bool, lines: Iterator[str]) -> None:
    text = encode_json(values) if as_json else "\n".join(lines)
    sys.stdout.write(text + "\n" if text else "")
