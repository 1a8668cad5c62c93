"""Measures float16 on every arithmetic that there is here.

python -m bench.half                       # prints what was measured
python -m bench.half --only Softmax        # of the cases whose name has it
python -m bench.half --write               # writes docs/fp16.json and docs/fp16.md; takes Dawn for Node
python -m bench.half --write --resume      # keeps what is in docs/fp16.json
python -m bench.half --page                # writes docs/fp16.md from docs/fp16.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from bench.half.bounds import EXPLAINED
from bench.half.measured import Compute, emulated, native, on
from bench.half.operators import operators
from bench.half.page import Measurement, page
from bench.half.rows import operator_rows, trap_rows
from bench.half.traps import traps
from webbuild.precision.arithmetic import Arithmetic, Emulated
from webbuild.precision.arithmetic.engined import Engined
from webbuild.precision.arithmetic.in_browser import in_chromium
from webbuild.precision.arithmetic.on_dawn import on_dawn
from webbuild.probe.native import version

DOCS = Path(__file__).parents[2] / "docs"
STORE, PAGE = DOCS / "fp16.json", DOCS / "fp16.md"


def measure(only: str, known: Measurement, keep: Callable[[Measurement], None]) -> Measurement:
    """Measure the cases whose name has `only` in it, but those that are known; `keep` is given all that is, often."""
    with ExitStack() as stack:
        gpus = {found.name: stack.enter_context(found) for found in _gpus() if not isinstance(found, str)}
        known.engines.update({"emulated, native": version()} | {name: each.engine.name for name, each in gpus.items()})
        places: dict[str, str] = {}
        arithmetics: dict[str, Compute] = {"emulated": emulated, "native": native}
        arithmetics |= {name: on(each, places) for name, each in gpus.items()}
        real: dict[str, Arithmetic] = {"emulated": Emulated(), **gpus}
        for rows, cases in ((known.operators, operators()), (known.traps, traps())):
            there = {row.name for row in rows}
            left = [case for case in cases if only in case.name and case.name not in there]
            single = rows is known.operators
            made = operator_rows(left, arithmetics, places) if single else trap_rows(left, arithmetics, places, real)
            for row in made:
                print(row.name, row.place, row.off, row.apart, row.converted, flush=True)
                rows.append(row)
                keep(known)
    return known


def _gpus() -> Iterator[Engined | str]:
    for found in (in_chromium(), on_dawn(verbose=True)):
        if isinstance(found, str):
            print(f"not measured: {found}", file=sys.stderr)
        yield found


def _stored(found: Measurement) -> None:
    STORE.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 1 where arithmetics are apart and nobody knows why."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    found = Measurement({}, [], [])
    if given.page or given.resume:
        found = msgspec.json.decode(STORE.read_bytes(), type=Measurement)
    if not given.page:
        measure(given.only, found, _stored if given.write else lambda _: None)
    if given.write or given.page:
        order = [case.name for case in traps()]
        found.traps.sort(key=lambda row: order.index(row.name))
        _stored(found)
        PAGE.write_text(page(found), "utf-8")
    return int(any(not row.agrees and row.name not in EXPLAINED for row in found.operators))


if __name__ == "__main__":
    sys.exit(main())
