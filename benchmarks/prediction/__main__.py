"""Predict the outcome of every node of a model, and compare it with a run in Chromium.

python -m benchmarks.prediction DATA --measure        # adds missing models to results/prediction.jsonl
python -m benchmarks.prediction DATA --write          # predicts them again: docs/inspect-accuracy.md
python -m benchmarks.prediction --table 1.30.0-webgpu  # the cases of a target's kernel table instead

DATA is the folder of ONNX's tests, as for `benchmarks.node_tests`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.prediction import probes
from benchmarks.prediction.confusion import accuracy, confusion_counts, rows
from benchmarks.prediction.measured import FILE, measure, read_measured
from benchmarks.prediction.models import PredictedModel, all_models
from benchmarks.prediction.outcomes import PredictionPair, from_node_tests, predicted, prediction_pairs
from benchmarks.prediction.report import PAGE, render_page
from webbuild.targets.table import load_table
from webbuild.targets.target import parse_target

TARGET = "1.30.0-webgpu"


def within_minutes(given: Iterable[PredictedModel], minutes: float) -> Iterator[PredictedModel]:
    """Yield models until the time is over."""
    end = time.monotonic() + 60 * minutes
    for each in given:
        if time.monotonic() > end:
            return
        yield each


def predict_all(given: Iterable[PredictedModel]) -> tuple[list[PredictionPair], Counter[str]]:
    """Predict every measured model. Returns the pairs, and the number of models measured node by node, by kind."""
    truth, known = read_measured(FILE), load_table(parse_target(TARGET))
    found: list[PredictionPair] = []
    measured: Counter[str] = Counter()
    for subject in given:
        if subject.name not in truth and subject.kind != "test":
            continue
        guess = predicted(subject, known)
        told = truth.get(subject.name) or from_node_tests(subject, guess)
        if told is not None:
            measured[subject.kind] += subject.name in truth
            found += prediction_pairs(subject, guess, told)
    return found, measured


def print_table_confusion(target: str) -> None:
    """Print the confusion table of a target's cases, and each wrong prediction."""
    made = list(probes.case_pairs(load_table(parse_target(target))))
    counts = confusion_counts((pair.case.outcome, pair.predicted) for pair in made)
    print("\n".join(rows(counts)), f"\n{100 * accuracy(counts):.2f} % of {counts.total()}")
    for case, guess, codes in made:
        if case.outcome != guess:
            print(f"{case.name}: {case.outcome}, not {guess} {list(codes)}: {case.message[:150]}")


def main() -> None:
    """Measure, predict, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--table", metavar="TARGET")
    parser.add_argument("--measure", action="store_true", help=f"add missing models to {FILE.name}")
    parser.add_argument("--minutes", type=float, default=60, help="time limit for measuring")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    if arguments.table is not None:
        print_table_confusion(arguments.table)
        return
    with tempfile.TemporaryDirectory() as folder:
        given = list(all_models(arguments.data, Path(folder), parse_target(TARGET)))
        if arguments.measure:
            done = read_measured(FILE)
            left = (each for each in given if each.name not in done)
            measure(within_minutes(left, arguments.minutes), parse_target(TARGET), FILE)
        found, measured = predict_all(given)
    text = render_page(found, measured, TARGET)
    print(text)
    if arguments.write:
        PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
