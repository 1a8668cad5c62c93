"""Measure float16 on every arithmetic (GPU, native ONNX Runtime, emulation) of this machine.

python -m benchmarks.fp16                       # prints the results
python -m benchmarks.fp16 --only Softmax        # only cases with this in their name
python -m benchmarks.fp16 --write               # writes results/fp16.json and docs/fp16.md; needs shader-f16
python -m benchmarks.fp16 --write --resume      # keeps the results in benchmarks/results/fp16.json
python -m benchmarks.fp16 --page                # writes docs/fp16.md from benchmarks/results/fp16.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from benchmarks.fp16.measure import Compute, emulated, native, run_on_backend
from benchmarks.fp16.operators import operators
from benchmarks.fp16.report import Fp16Measurement, render_page
from benchmarks.fp16.rounding import RoundedFp16
from benchmarks.fp16.rows import operator_rows, trap_rows
from benchmarks.fp16.tolerance import KNOWN_DIFFERENCES
from benchmarks.fp16.traps import traps
from webbuild.precision.fp16_backends import Fp16Backend
from webbuild.precision.fp16_backends.chromium import chromium_backend
from webbuild.probe.native_process import reference_version

STORE = Path(__file__).parents[1] / "results" / "fp16.json"
PAGE = Path(__file__).parents[2] / "docs" / "fp16.md"


def measure(only: str, known: Fp16Measurement, keep: Callable[[Fp16Measurement], None]) -> Fp16Measurement:
    """Measure the cases with `only` in their name and not in `known`; call `keep` often with all results so far."""
    with ExitStack() as stack:
        found = chromium_backend()
        gpus = {} if isinstance(found, str) else {found.name: stack.enter_context(found)}
        if isinstance(found, str):
            print(f"not measured: {found}", file=sys.stderr)
        known.engines.update(
            {"emulated, native": reference_version()} | {name: each.engine.name for name, each in gpus.items()}
        )
        places: dict[str, str] = {}
        arithmetics: dict[str, Compute] = {"emulated": emulated, "native": native}
        arithmetics |= {name: run_on_backend(each, places) for name, each in gpus.items()}
        real: dict[str, Fp16Backend] = {"emulated": RoundedFp16(), **gpus}
        for rows, cases in ((known.operators, operators()), (known.traps, traps())):
            there = {row.name for row in rows}
            left = [case for case in cases if only in case.name and case.name not in there]
            single = rows is known.operators
            made = operator_rows(left, arithmetics, places) if single else trap_rows(left, arithmetics, places, real)
            for row in made:
                print(row.name, row.place, row.float32_error, row.emulation_error, row.converted, flush=True)
                rows.append(row)
                keep(known)
    return known


def _stored(found: Fp16Measurement) -> None:
    STORE.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 1 if arithmetics differ for no known reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    found = Fp16Measurement({}, [], [])
    if given.page or given.resume:
        found = msgspec.json.decode(STORE.read_bytes(), type=Fp16Measurement)
    if not given.page:
        measure(given.only, found, _stored if given.write else lambda _: None)
    if given.write or given.page:
        order = [case.name for case in traps()]
        found.traps.sort(key=lambda row: order.index(row.name))
        _stored(found)
        PAGE.write_text(render_page(found), "utf-8")
    return int(any(not row.agrees and row.name not in KNOWN_DIFFERENCES for row in found.operators))


if __name__ == "__main__":
    sys.exit(main())
