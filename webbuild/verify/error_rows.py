"""Table of errors in the report: a row per sample and backend; variants by number of points share a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from webbuild.compare.comparison import Comparison, Stage
from webbuild.verify.formatting import variants_text
from webbuild.verify.report import SampleResult, VerifyReport

_POINTS = re.compile(r" (\d+ (?:points|objects))$")
_GRAVITY = ("OK", "VACUOUS", "DIFFERS")


class ErrorRow(Struct, frozen=True):
    """One sample on one backend: predictions by quantity, and the worst raw and input errors relative to tolerance.

    For graphs by number of points, it has the worst of each, and the longest time.
    """

    backend: str
    decoded: dict[str, Comparison]
    raw: float | None
    input: float | None
    min_oks: float | None
    min_mask_iou: float | None
    inference_ms: float | None
    fallback_reason: str


def error_rows(report: VerifyReport) -> list[tuple[str, list[ErrorRow]]]:
    """Return the rows of each sample, one per backend; samples of single stages come last."""
    rows: dict[str, dict[str, list[tuple[str, SampleResult]]]] = {each.title: {} for each in report.samples}
    for run in report.backends:
        for result in run.results:
            of_sample = rows.setdefault(result.sample, {})
            of_sample.setdefault(_POINTS.sub("", run.backend), []).append((run.backend, result))
    return [(sample, [_row(name, together) for name, together in group.items()]) for sample, group in rows.items()]


def _row(name: str, together: Sequence[tuple[str, SampleResult]]) -> ErrorRow:
    counts = [match[1] for backend, _ in together if (match := _POINTS.search(backend))]
    results = [result for _, result in together]
    return ErrorRow(
        backend=f"{name} {variants_text(counts)}".rstrip(),
        decoded=_worst_of_each(results),
        raw=worst_error(results, "raw"),
        input=worst_error(results, "input"),
        min_oks=min(_known(each.min_oks for each in results), default=None),
        min_mask_iou=min(_known(each.min_mask_iou for each in results), default=None),
        inference_ms=max(_known(each.inference_ms for each in results), default=None),
        fallback_reason=next((each.fallback_reason for each in results if each.fallback_reason), ""),
    )


def worst_error(results: Sequence[SampleResult], stage: Stage | None = None) -> float | None:
    """Return the largest error at a stage, or at all stages, as a fraction of its tolerance."""
    comparisons = (c for result in results for c in result.comparisons if stage in (None, c.subject.stage))
    return max((c.tolerance_used for c in comparisons), default=None)


def _worst_of_each(results: Sequence[SampleResult]) -> dict[str, Comparison]:
    """Return the worst comparison of each decoded quantity."""
    worst: dict[str, Comparison] = {}
    for each in (c for result in results for c in result.comparisons if c.subject.stage == "decoded"):
        known = worst.get(each.subject.name)
        if known is None or _severity(each) > _severity(known):
            worst[each.subject.name] = each
    return worst


def _severity(comparison: Comparison) -> tuple[int, float]:
    return _GRAVITY.index(comparison.verdict), comparison.tolerance_used


def _known(values: Iterator[float | None]) -> Iterator[float]:
    return (value for value in values if value is not None)
