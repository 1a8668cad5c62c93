"""The measurements of a case, as they are stored and printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from benchmarks.fp16.case import Fp16Case
from benchmarks.fp16.measure import Answer, CaseResult, Compute, measure
from benchmarks.fp16.tolerance import tolerance
from webbuild.errors import WebbuildError
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.precision.activation_ranges import measure_ranges as ranges_of
from webbuild.precision.convert import Fp16Graph, clamp_model_masks, convertible_nodes, plan_conversion
from webbuild.precision.fp16_backends import Fp16Backend
from webbuild.precision.range_rules import find_out_of_range
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

Figure = float | str
"""A difference relative to the largest magnitude in float32, or a word if there is none."""


class Fp16Row(Struct, frozen=True, rename="camel"):
    """A case: its placement, each arithmetic's difference from float32, and each one's from the emulation.

    `bound` is the largest allowed difference. `kept` are the operators that the conversion keeps in float32, with the
    reason; `converted` is each arithmetic's difference from float32 on the converted graph.
    """

    name: str
    place: str
    bound: float
    float32_error: dict[str, Figure]
    emulation_error: dict[str, Figure]
    kept: dict[str, str] = {}
    converted: dict[str, Figure] = {}

    @property
    def agrees(self) -> bool:
        """Whether every arithmetic that runs the case is within the bound of the emulation."""
        return all(value == "no kernel" or is_within(value, self.bound) for value in self.emulation_error.values())


def is_within(value: Figure, limit: float) -> bool:
    """Whether a figure is a number and at most a limit."""
    return not isinstance(value, str) and value <= limit


def operator_rows(
    cases: Sequence[Fp16Case], arithmetics: Mapping[str, Compute], places: Mapping[str, str]
) -> Iterator[Fp16Row]:
    """Yield a row for each single operator."""
    for found in measure(cases, arithmetics):
        yield _row(found, places)


def trap_rows(
    cases: Sequence[Fp16Case],
    arithmetics: Mapping[str, Compute],
    places: Mapping[str, str],
    real: Mapping[str, Fp16Backend],
) -> Iterator[Fp16Row]:
    """Yield a row for each trap, with the converted graph's results on the arithmetics `real`."""
    for found in measure(cases, arithmetics):
        halved = convert_case(found.case)
        feeds = found.case.fed(np.float32)
        made = {name: _figure(found.apart_from_exact(_run(each, halved, feeds))) for name, each in real.items()}
        row = _row(found, places)
        yield Fp16Row(row.name, row.place, row.bound, row.float32_error, row.emulation_error, _kept(halved), made)


def convert_case(case: Fp16Case) -> Fp16Graph:
    """Return the float16 graph that `pack --precision fp16` creates of a case, with its feeds as samples."""
    model = ir.from_proto(case.model(np.float32))
    soft, _ = clamp_model_masks(model)
    ranges = find_out_of_range(soft, convertible_nodes(soft), ranges_of(soft, [case.fed(np.float32)]))
    return plan_conversion(model, load_table(Target(engine_version(), "webgpu")), ranges).convert()


def _run(
    arithmetic: Fp16Backend, halved: Fp16Graph, feeds: Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]
) -> Answer:
    try:
        return arithmetic.run(halved.model, [feeds])[0]
    except WebbuildError as error:
        return error.message


def _row(found: CaseResult, places: Mapping[str, str]) -> Fp16Row:
    names = list(found.answers)
    return Fp16Row(
        found.case.name,
        places.get(found.case.name, ""),
        tolerance(found.case),
        {name: _figure(found.off(name)) for name in names},
        {name: _figure(found.between(name, "emulated")) for name in names if name != "emulated"},
    )


def _kept(halved: Fp16Graph) -> dict[str, str]:
    types = {node.name: node.op_type for node in halved.model.graph}
    return {f"{types.get(name, name)}": reason for name, reason in halved.fp32_reasons.items()}


def _figure(value: Figure) -> Figure:
    return value if isinstance(value, str) or isfinite(value) else "no number"
