"""What a build of the engine does otherwise in another browser than Chromium, whose table the targets have."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from webbuild.targets.table import MeasuredCase, Outcome
from webbuild.targets.target import Target


class Difference(Struct, frozen=True):
    """A case as it ended in the browser, and how it ended in Chromium."""

    case: MeasuredCase
    chromium: Outcome


class BrowserDifferences(Struct, frozen=True, kw_only=True):
    """The differences among `cases` measured cases, on one machine.

    `adapter` and `against_adapter` are what the two browsers call the machine's adapter, `against` is the Chromium.
    `failing` are cases that no table has, those of float16 and of subgroups, which fail in both browsers alike, and of
    float16 those that do not end so in float32; `subgroups` those whose shaders use subgroups in Chromium; `left_out`
    families whose feature an adapter lacks.
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
    """Return what was measured of a target in a browser, `firefox`; None where it was not."""
    file = files("webbuild.targets").joinpath("measured_kernels", browser, f"{target.name}.json")
    return msgspec.json.decode(file.read_bytes(), type=BrowserDifferences) if file.is_file() else None


def encode_differences(differences: BrowserDifferences) -> bytes:
    """Return them as JSON, a case on a line."""
    head = msgspec.to_builtins(differences)
    lists = {name: head.pop(name) for name in ("failing", "differences")}
    body = msgspec.json.encode(head).decode()[:-1]
    for name, cases in lists.items():
        lines = ",\n".join(f"  {msgspec.json.encode(each).decode()}" for each in cases)
        body += f', "{name}": [\n{lines}\n]'
    return f"{body}}}\n".encode()
