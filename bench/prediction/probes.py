"""What an inspection predicts against what was measured, for every case of a target's table.

python -m bench.prediction 1.30.0-webgpu --missed
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, get_args

import onnx
import onnx_ir as ir

from webbuild.inspection.inspect import inspect
from webbuild.inspection.inspection import Inspection
from webbuild.probe.node import Probe
from webbuild.probe.registry import families, probes
from webbuild.targets.table import Case, Outcome, Table, table
from webbuild.targets.target import parse

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Pair(NamedTuple):
    """A measured case, what was predicted of it, and the findings behind that."""

    case: Case
    predicted: Outcome
    codes: tuple[str, ...]


def pairs(known: Table) -> Iterator[Pair]:
    """Yield a prediction for each case of the table that can be built again."""
    measured = {case.what: case for case in known.cases}
    for family in families():
        for probe in probes(family):
            if (case := measured.get(probe.name)) is not None:
                found = inspected(probe, known)
                yield Pair(case, outcome(found), tuple(finding.code for finding in found.findings))


def inspected(probe: Probe, known: Table) -> Inspection:
    """Inspect the model of a probe, in the sizes of its inputs."""
    sizes = {f"{name}:{axis}": size for name, value in probe.feeds.items() for axis, size in enumerate(value.shape)}
    return inspect(probe.name, ir.from_proto(onnx.load_model_from_string(probe.model)), known, sizes)


def outcome(found: Inspection) -> Outcome:
    """Return how the one node ends; what is folded or taken out ends well."""
    ends = [node.outcome for node in found.nodes if node.outcome is not None]
    return next((end for end in ("no-session", "throws", "wrong", "cpu", "gpu") if end in ends), "gpu")


def table_of(counts: Counter[tuple[Outcome, Outcome]]) -> Iterator[str]:
    """Yield the lines of the table: measured downwards, predicted across, and the recall of each."""
    yield "| measured \\ predicted | " + " | ".join(OUTCOMES) + " | recall |"
    yield "|---" * (len(OUTCOMES) + 2) + "|"
    for true in OUTCOMES:
        row = [counts[true, guess] for guess in OUTCOMES]
        recall = f"{counts[true, true] / sum(row):.3f}" if sum(row) else ""
        yield f"| {true} | " + " | ".join(str(number or "") for number in row) + f" | {recall} |"


def main() -> None:
    """Print the table, and with `--missed` every case of which something else was predicted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="?", default="1.30.0-webgpu")
    parser.add_argument("--missed", action="store_true")
    arguments = parser.parse_args()
    made = list(pairs(table(parse(arguments.target))))
    for line in table_of(Counter((pair.case.outcome, pair.predicted) for pair in made)):
        print(line)
    right = sum(pair.case.outcome == pair.predicted for pair in made)
    print(f"\n{right} of {len(made)} predicted right")
    for case, predicted, codes in made if arguments.missed else ():
        if case.outcome != predicted:
            print(f"{case.what}: {case.outcome}, not {predicted} {list(codes)}: {case.message[:150]}")


if __name__ == "__main__":
    main()
