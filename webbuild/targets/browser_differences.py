"""Measured differences of a build between another browser and Chromium. Kernel tables are measured in Chromium."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from webbuild.targets.table import MeasuredCase, Outcome
from webbuild.targets.target import Target


class Difference(Struct, frozen=True):
    """A case with its outcome in the browser, and its outcome in Chromium."""

    case: MeasuredCase
    chromium: Outcome


class BrowserDifferences(Struct, frozen=True, kw_only=True):
    """The differences among `cases` measured cases, on one machine.

    `against` is the Chromium that was compared. `adapter` and `against_adapter` are the names that the two browsers
    give the machine's adapter. `failing` are cases that fail alike in both browsers and are in no kernel table: cases
    of subgroups, and cases of float16 with another outcome than in float32. `subgroups` are the cases whose shaders
    use subgroups in Chromium. `left_out` are families that need a feature that an adapter lacks.
    """

    target: Target
    measured: str
    browser: str
    adapter: str
    against: str
    against_adapter: str
    cases: int
    failing: list[MeasuredCase] = []
    subgroups: list[str] = []
    left_out: list[str] = []
    differences: list[Difference]


@cache
def load_differences(target: Target, browser: str) -> BrowserDifferences | None:
    """Return the differences of a target in a browser, such as `firefox`; None if it was not measured."""
    file = files("webbuild.targets").joinpath("measured_kernels", browser, f"{target.name}.json")
    return msgspec.json.decode(file.read_bytes(), type=BrowserDifferences) if file.is_file() else None


def encode_differences(differences: BrowserDifferences) -> bytes:
    """Return the differences as JSON, one case per line."""
    head = msgspec.to_builtins(differences)
    lists = {name: head.pop(name) for name in ("failing", "differences")}
    body = msgspec.json.encode(head).decode()[:-1]
    for name, cases in lists.items():
        lines = ",\n".join(f"  {msgspec.json.encode(each).decode()}" for each in cases)
        body += f', "{name}": [\n{lines}\n]'
    return f"{body}}}\n".encode()
