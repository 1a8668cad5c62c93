"""What two builds do differently."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from webbuild.targets.table import Table


class Change(Struct, frozen=True):
    """A kernel or a case that ends differently; an empty string where one table says nothing of it."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.what}: {self.before or 'not measured'} -> {self.after or 'not measured'}"


def difference(before: Table, after: Table) -> Iterator[Change]:
    """Yield what differs, kernels first, each sorted by name."""
    for kinds in ((_kernels(before), _kernels(after)), (_cases(before), _cases(after))):
        old, new = kinds
        for what in sorted(old.keys() | new.keys()):
            if old.get(what) != new.get(what):
                yield Change(what, old.get(what, ""), new.get(what, ""))


def _kernels(measured: Table) -> dict[str, str]:
    return {
        f"{op} {since} {dtype}": place
        for op, versions in measured.kernels.items()
        for since, places in versions.items()
        for place, types in places.items()
        for dtype in types
    }


def _cases(measured: Table) -> dict[str, str]:
    return {case.what: case.outcome for case in measured.cases}
