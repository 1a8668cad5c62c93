"""Predicts how every node of a model ends, and holds that against what Chromium did.

python -m bench.prediction DATA --measure        # ONNX's tests, models/ and exports: what docs/prediction.jsonl lacks
python -m bench.prediction DATA --write          # predicts them anew: docs/prediction.md
python -m bench.prediction --table 1.30.0-jsep   # the cases of a target's table instead

DATA is the folder of ONNX's tests, as for `bench.node_tests`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.prediction import probes
from bench.prediction.confusion import accuracy, counted, rows
from bench.prediction.outcomes import Pair, from_node_tests, pairs, predicted
from bench.prediction.page import PAGE, page
from bench.prediction.subjects import Subject, subjects
from bench.prediction.truth import FILE, kept, measure
from webbuild.targets.table import table
from webbuild.targets.target import parse

TARGET = "1.30.0-webgpu"


def in_time(given: Iterable[Subject], minutes: float) -> Iterator[Subject]:
    """Yield subjects until the time is over."""
    end = time.monotonic() + 60 * minutes
    for each in given:
        if time.monotonic() > end:
            return
        yield each


def judged(given: Iterable[Subject]) -> tuple[list[Pair], Counter[str]]:
    """Predict every model that was measured. Returns the pairs, and how many were measured node by node, by kind."""
    truth, known = kept(FILE), table(parse(TARGET))
    found: list[Pair] = []
    measured: Counter[str] = Counter()
    for subject in given:
        if subject.name not in truth and subject.kind != "test":
            continue
        guess = predicted(subject, known)
        told = truth.get(subject.name) or from_node_tests(subject, guess)
        if told is not None:
            measured[subject.kind] += subject.name in truth
            found += pairs(subject, guess, told)
    return found, measured


def of_table(target: str) -> None:
    """Print the confusion table of a target's own cases, and each that was missed."""
    made = list(probes.pairs(table(parse(target))))
    counts = counted((pair.case.outcome, pair.predicted) for pair in made)
    print("\n".join(rows(counts)), f"\n{100 * accuracy(counts):.2f} % of {counts.total()}")
    for case, guess, codes in made:
        if case.outcome != guess:
            print(f"{case.what}: {case.outcome}, not {guess} {list(codes)}: {case.message[:150]}")


def main() -> None:
    """Measure, predict, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--table", metavar="TARGET")
    parser.add_argument("--measure", action="store_true", help=f"add to {FILE.name} what it does not hold")
    parser.add_argument("--minutes", type=float, default=60, help="of measuring, at most")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    if arguments.table is not None:
        of_table(arguments.table)
        return
    with tempfile.TemporaryDirectory() as folder:
        given = list(subjects(arguments.data, Path(folder), parse(TARGET)))
        if arguments.measure:
            done = kept(FILE)
            left = (each for each in given if each.name not in done)
            measure(in_time(left, arguments.minutes), parse(TARGET), FILE)
        found, measured = judged(given)
    text = page(found, measured, TARGET)
    print(text)
    if arguments.write:
        PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
