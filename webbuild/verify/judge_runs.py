"""Final verdicts on a browser's runs: over all samples of a backend, with the steps of a sequence merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from webbuild.compare.comparison import Comparison
from webbuild.equivalence.compare_runs import final_verdicts
from webbuild.equivalence.sequences import merge_steps
from webbuild.verify.piecewise import ComparePieces, judge_below_noise
from webbuild.verify.report import BackendRun, SampleResult
from webbuild.verify.run_all_backends import BrowserRun
from webbuild.verify.variant_reference import VariantReference


def judge_runs(
    done: BrowserRun, references: Mapping[str, VariantReference], compare_pieces: ComparePieces | None
) -> BrowserRun:
    """Return the runs with their final verdicts. `references` are by graph name.

    Differences below the noise floor are judged by `compare_pieces`, if given.
    """
    runs = []
    for run in done.runs:
        reference = references[run.backend]
        judged = final_verdicts(run.comparisons, reference.reference.noise)
        compared = judge_below_noise(judged, run.backend, reference.bundle, reference.reference, compare_pieces)
        runs.append(_with_merged_steps(_with_comparisons(run, compared), reference.sequences))
    return msgspec.structs.replace(done, runs=tuple(runs))


def _with_comparisons(run: BackendRun, comparisons: Sequence[Comparison]) -> BackendRun:
    judged = iter(comparisons)
    results = [
        msgspec.structs.replace(result, comparisons=tuple(next(judged) for _ in result.comparisons))
        for result in run.results
    ]
    return msgspec.structs.replace(run, results=tuple(results))


def _with_merged_steps(run: BackendRun, sequences: Mapping[str, str]) -> BackendRun:
    """Return a run with one result per sequence: the worst step of each output."""
    merged: dict[str, SampleResult] = {}
    for each in run.results:
        name = sequences.get(each.sample, each.sample)
        before = merged.get(name)
        compared = each.comparisons if before is None else (*before.comparisons, *each.comparisons)
        merged[name] = msgspec.structs.replace(before or each, sample=name, comparisons=compared)
    results = (
        msgspec.structs.replace(each, comparisons=tuple(merge_steps(each.comparisons, sequences)))
        for each in merged.values()
    )
    return msgspec.structs.replace(run, results=tuple(results))
