"""Predictions compared with Chromium, as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.prediction.confusion import FAILS, accuracy, confusion_counts, rows
from benchmarks.prediction.outcomes import PredictionPair

PAGE = Path(__file__).parents[2] / "docs" / "inspect-accuracy.md"

_TITLES = {
    "test": "ONNX's tests of single operators",
    "export": "Whole exports of every head, from tests/exports",
    "model": "The models in models/, as they were exported",
    "packed": "The same models, as they are packed",
}


def render_page(pairs: Sequence[PredictionPair], measured: Counter[str], target: str) -> str:
    """Return the document. `measured` is the number of models measured node by node, by kind."""
    counts = confusion_counts((pair.measured, pair.predicted) for pair in pairs)
    head = f"""# Predictions against Chromium

The predictions of `webbuild inspect` for each node, compared with a run in Chromium on {target} and an adapter
without `shader-f16`, where every float16 node on the GPU should throw. `wrong` means that the output differs from
native ONNX Runtime. Nodes that were fused or folded are not counted, and neither are predicted failures after the
first failure of a run. `removed` nodes were predicted to be folded, but ran.

    python -m benchmarks.prediction DATA --measure
    python -m benchmarks.prediction DATA --write

{100 * accuracy(counts):.2f} % of {counts.total()} nodes end as predicted.
"""
    return "\n".join([head, *_section(counts), "", *_kinds(pairs, measured), *_missed(pairs)]) + "\n"


def _section(counts: Counter[tuple[str, str]]) -> Iterator[str]:
    yield from rows(counts)


def _kinds(pairs: Sequence[PredictionPair], measured: Counter[str]) -> Iterator[str]:
    for kind, title in _TITLES.items():
        counts = confusion_counts((pair.measured, pair.predicted) for pair in pairs if pair.kind == kind)
        if counts:
            models = len({pair.model for pair in pairs if pair.kind == kind})
            yield f"## {title}"
            yield ""
            told = f"{models} with nodes that ran or failed, {measured[kind]} models measured node by node"
            yield f"{told}."
            yield ""
            yield f"{100 * accuracy(counts):.2f} % of {counts.total()} nodes."
            yield ""
            yield from rows(counts)
            yield ""


def _missed(pairs: Sequence[PredictionPair]) -> Iterator[str]:
    missed = [pair for pair in pairs if pair.measured != pair.predicted]
    harm = [pair for pair in missed if pair.measured in FAILS]
    for title, chosen in (
        ("Failures that were not predicted as such", harm),
        ("Other differences", [pair for pair in missed if pair not in harm]),
    ):
        yield f"## {title}: {len(chosen)}"
        yield ""
        kinds = Counter((pair.model, pair.operator, pair.measured, pair.predicted) for pair in chosen)
        for (model, operator, end, guess), times in sorted(kinds.items()):
            yield f"- `{model}`: {times} {operator}: {end}, predicted {guess}"
        if not kinds:
            yield "None."
        yield ""
