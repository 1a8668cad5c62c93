"""Differences between the kernel tables of two builds."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from webbuild.targets.table import KernelTable


class TableChange(Struct, frozen=True):
    """A kernel or a case with different outcomes; an empty string if a table does not have it."""

    subject: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.before or 'not measured'} -> {self.after or 'not measured'}"


def diff_tables(before: KernelTable, after: KernelTable) -> Iterator[TableChange]:
    """Yield the differences: kernels, then cases, each sorted by name."""
    for kinds in ((_kernels(before), _kernels(after)), (_cases(before), _cases(after))):
        old, new = kinds
        for what in sorted(old.keys() | new.keys()):
            if old.get(what) != new.get(what):
                yield TableChange(what, old.get(what, ""), new.get(what, ""))


def _kernels(measured: KernelTable) -> dict[str, str]:
    return {
        f"{op} {since} {dtype}": placement
        for op, versions in measured.kernels.items()
        for since, places in versions.items()
        for placement, types in places.items()
        for dtype in types
    }


def _cases(measured: KernelTable) -> dict[str, str]:
    return {case.name: case.outcome for case in measured.cases}
