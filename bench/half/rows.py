"""What was measured of a case, as it is kept and printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from bench.half.bounds import bound
from bench.half.case import Case
from bench.half.measured import Answer, Compute, Measured, measure
from webbuild.assets import engine_version
from webbuild.errors import WebbuildError
from webbuild.precision.arithmetic import Arithmetic
from webbuild.precision.convert import Halved, able, convertible, softened
from webbuild.precision.measured import out_of_range
from webbuild.precision.ranges import measure as ranges_of
from webbuild.targets.table import table
from webbuild.targets.target import Target

Figure = float | str
"""A share of the largest magnitude of float32's answer, or a word where there is none."""


class Row(Struct, frozen=True, rename="camel"):
    """A case: where it ran, how far each arithmetic is from float32, and each from the emulation.

    `bound` is what they may be apart. `kept` are the operators that the conversion keeps in float32, with the reason;
    `converted` is how far each arithmetic is from float32 on the graph that the conversion made.
    """

    name: str
    place: str
    bound: float
    off: dict[str, Figure]
    apart: dict[str, Figure]
    kept: dict[str, str] = {}
    converted: dict[str, Figure] = {}

    @property
    def agrees(self) -> bool:
        """Whether every arithmetic that computes the case is within the bound of the emulation."""
        return all(value == "no kernel" or within(value, self.bound) for value in self.apart.values())


def within(value: Figure, limit: float) -> bool:
    """Whether a figure is a number and not above a limit."""
    return not isinstance(value, str) and value <= limit


def operator_rows(
    cases: Sequence[Case], arithmetics: Mapping[str, Compute], places: Mapping[str, str]
) -> Iterator[Row]:
    """Yield a row for each single operator."""
    for found in measure(cases, arithmetics):
        yield _row(found, places)


def trap_rows(
    cases: Sequence[Case],
    arithmetics: Mapping[str, Compute],
    places: Mapping[str, str],
    real: Mapping[str, Arithmetic],
) -> Iterator[Row]:
    """Yield a row for each trap, with what the conversion does to it on the arithmetics `real`."""
    for found in measure(cases, arithmetics):
        halved = converted(found.case)
        feeds = found.case.fed(np.float32)
        made = {name: _figure(found.apart_from_exact(_run(each, halved, feeds))) for name, each in real.items()}
        row = _row(found, places)
        yield Row(row.name, row.place, row.bound, row.off, row.apart, _kept(halved), made)


def converted(case: Case) -> Halved:
    """Return what `pack --precision fp16` makes of a case, with its own feeds as the samples."""
    model = ir.from_proto(case.model(np.float32))
    soft, _ = softened(model)
    ranges = out_of_range(soft, able(soft), ranges_of(soft, [case.fed(np.float32)]))
    return convertible(model, table(Target(engine_version(), "webgpu")), ranges).halved()


def _run(
    arithmetic: Arithmetic, halved: Halved, feeds: Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]
) -> Answer:
    try:
        return arithmetic.run(halved.model, [feeds])[0]
    except WebbuildError as error:
        return error.message


def _row(found: Measured, places: Mapping[str, str]) -> Row:
    names = list(found.answers)
    return Row(
        found.case.name,
        places.get(found.case.name, ""),
        bound(found.case),
        {name: _figure(found.off(name)) for name in names},
        {name: _figure(found.between(name, "emulated")) for name in names if name != "emulated"},
    )


def _kept(halved: Halved) -> dict[str, str]:
    types = {node.name: node.op_type for node in halved.model.graph}
    return {f"{types.get(name, name)}": why for name, why in halved.kept.items()}


def _figure(value: Figure) -> Figure:
    return value if isinstance(value, str) or isfinite(value) else "no number"
