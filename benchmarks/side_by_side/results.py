"""The stored results as JSON, every page by backend; the document and the chart are rendered from them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.side_by_side.measure import PageMeasurement, matching_boxes

BUNDLE = "webbuild"
"""The page that all others are compared with."""
FILE = Path(__file__).parents[1] / "results" / "side-by-side.json"


class Side(Struct, frozen=True):
    """A library on a backend. `equal` of `all` people are the same as the bundle's."""

    name: str
    bytes: float
    session: float
    first_result: float
    second_visit: float | None
    p50: float
    p95: float | None
    runs: int
    kernels: float | None
    gpu_bytes: int | None
    wasm_bytes: int | None
    equal: int
    all: int


class BackendResult(Struct, frozen=True):
    """The pages of a backend, the bundle first, and the errors of those that failed."""

    backend: str
    sides: list[Side]
    failed: dict[str, str]


class Results(Struct, frozen=True):
    """All results of one call."""

    browser: str
    adapter: str
    machine: str
    packages: dict[str, str]
    visits: int
    pictures: int
    backends: list[BackendResult]

    def side(self, backend: str, name: str) -> Side | None:
        """Return a page's results, None if it was not measured."""
        sides = [side for each in self.backends if each.backend == backend for side in each.sides]
        return next((side for side in sides if side.name == name), None)


def summarize(backend: str, found: dict[str, PageMeasurement], failed: dict[str, str]) -> BackendResult:
    """Return a backend's results in their stored form."""
    ours = found.get(BUNDLE)
    sides = []
    for name, side in found.items():
        equal, count = (0, 0) if ours is None else matching_boxes(side, ours)
        numbers = (side.bytes, side.session, side.first_result, side.second_visit, side.p50, side.p95, len(side.times))
        sides.append(Side(name, *numbers, side.kernels, side.gpu_bytes, side.wasm_bytes, equal, count))
    return BackendResult(backend, sides, failed)


def write(results: Results, file: Path = FILE) -> None:
    """Write the JSON."""
    file.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")


def merge(found: Results, file: Path = FILE) -> Results:
    """Return new results, plus the stored ones of backends that were not measured now."""
    if not file.is_file():
        return found
    stored, measured = read(file), {each.backend for each in found.backends}
    kept = [each for each in stored.backends if each.backend not in measured]
    adapter = found.adapter or stored.adapter
    return msgspec.structs.replace(found, adapter=adapter, backends=[*kept, *found.backends])


def read(file: Path = FILE) -> Results:
    """Read the JSON."""
    return msgspec.json.decode(file.read_bytes(), type=Results)
