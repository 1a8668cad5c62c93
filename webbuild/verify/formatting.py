"""Formatting of numbers, names and verdicts for reports."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from webbuild.equivalence.noise_floor import NOISE_FACTOR
from webbuild.reporting.comparison_text import noise_texts
from webbuild.reporting.quantities import format_bytes, format_count, format_differing
from webbuild.runners.chain import ALL_STAGES
from webbuild.tasks.registry import kind_of
from webbuild.verify.report import PromptCost, VerifyReport, exit_code

_RUNNER_NAMES = {"webgpu": "WebGPU", "wasm": "WASM", "native": "Native"}
_DASH = "\N{EN DASH}"
_TIMES = "\N{MULTIPLICATION SIGN}"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(value: float | None) -> str:
    """Return two significant digits: 0, 0.031, 4.2 times 10⁻⁶; a dash for a missing value."""
    if value is None or not math.isfinite(value):
        return _DASH
    if value == 0 or abs(value) >= 0.001:
        return f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}{_TIMES}10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def format_milliseconds(value: float | None) -> str:
    """Return a duration: 8.4 ms, 320 ms, 12.4 s."""
    if value is None:
        return _DASH
    if value >= 10_000:
        return f"{value / 1000:.1f} s"
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.1f} ms"


def runner_name(runner: str) -> str:
    """Return a runner's display name: its backend, and its precision if reduced."""
    backend, space, precision = runner.partition(" ")
    return f"{_RUNNER_NAMES.get(backend, backend)}{space}{precision}"


def graph_name(runner: str) -> str:
    """Return a runner's name without its variant: `webgpu fp16` for `webgpu fp16 640x480 batch 4`."""
    return re.sub(r"( \d+x\d+)?( batch \d+)?( \d+ (points|objects))?$", "", runner)


def variants_text(names: Sequence[str]) -> str:
    """Join the names of variants: consecutive counts become `2 to 9 points`."""
    counts = [int(each.removesuffix(" points")) for each in names if re.fullmatch(r"\d+ points", each)]
    others = [each for each in names if each and not re.fullmatch(r"\d+ points", each)]
    runs = counts == list(range(min(counts), max(counts) + 1)) if len(counts) > 1 else False
    points = [f"{counts[0]} to {counts[-1]} points"] if runs else [f"{each} points" for each in counts]
    return ", ".join([*points, *others])


def prompt_cost_text(cost: PromptCost) -> str:
    """Return the cost as text: `12 prompts on 2 pictures, each encoded in 42 ms, at most 65 kB read back`."""
    pictures = f"{format_count(cost.pictures, 'picture')}, each encoded in {format_milliseconds(cost.encoding)}"
    prompts = f"{format_count(cost.prompts, 'prompt')} on {pictures}"
    runs = f"{format_count(cost.earlier_runs, 'more run')} of earlier stages" if cost.earlier_runs else ""
    read = f"at most {format_bytes(cost.read_bytes)} read back" if cost.read_bytes else ""
    return ", ".join(filter(None, (prompts, runs, read)))


def without_stage(runner: str, stages: Sequence[str]) -> str:
    """Return a runner's name without the stage, or the name of all stages: `webgpu fp16` for `webgpu fp16 decoder`."""
    backend, space, rest = runner.partition(" ")
    words = [word for word in rest.split(" ") if word and not (stages and word in (*stages, ALL_STAGES))]
    return " ".join([backend, *words]) if space else backend


def verdict_text(report: VerifyReport) -> tuple[str, str, str]:
    """Return a report's verdict (`same`, `different`, `problem` or `vacuous`), its headline, and a sentence.

    The headline "Not the same" is only for differing results. If all results agree, other problems are named after it.
    """
    ran = [run for run in report.backends if not run.skip_reason]
    runners = [without_stage(run.backend, report.stages) for run in ran]
    names = dict.fromkeys(runner_name(graph_name(each)) for each in runners)
    sizes = dict.fromkeys(each.removeprefix(graph_name(each)).strip() for each in runners)
    variants = variants_text(list(filter(None, sizes)))
    backends = (" and ".join(names) or "No backend") + (f" at {variants}" if variants else "")
    samples = format_count(len(report.samples), "sample")
    objects = sum(len(sample.detections) for sample in report.samples)
    thing = kind_of(report.task).noun or "detection"
    on = f"{samples}, {format_count(objects, thing)}" if objects else samples
    together = [" and all together"] if any(ALL_STAGES in run.backend.split(" ") for run in ran) else []
    on += f", in {' and '.join(report.stages)}{''.join(together)}" if report.stages else ""
    failures, problems = report.failures(), report.all_problems()
    if exit_code(report) == 0:
        agree = "agrees" if len(ran) == 1 else "agree"
        return "same", "Same results", f"{backends} {agree} with native ONNX Runtime on {on}."
    differing = [each for each in failures if each.verdict == "DIFFERS"]
    total = len(list(report.comparisons()))
    besides = [format_count(len(problems), "problem")] if problems else []
    if differing:
        parts = [format_differing(len(differing), total), *besides]
        return "different", "Not the same", f"{' and '.join(parts)}: {backends} on {on}."
    if problems and not failures and ran and all(run.comparisons for run in ran):
        return (
            "problem",
            f"Same results, {besides[0]}",
            f"{format_count(total, 'comparison')} passed: {backends} on {on}.",
        )
    if problems:
        return "problem", besides[0], f"{format_count(total, 'comparison')}: {backends} on {on}."
    return "vacuous", "Nothing proved", f"{backends} on {on}: there was nothing to compare, which counts as a failure."


def reader_notes(report: VerifyReport) -> list[str]:
    """Return notes on skipped runs and accepted noise, as sentences."""
    by = f" ({report.fp16_backend})" if report.fp16_backend else ""
    absent = [
        f"{runner_name(run.backend)} was not run: {run.skip_reason}. It was proven when it was packed{by}: see its "
        f"report.html."
        for run in report.backends
        if run.skip_reason
    ]
    comparisons = (each for run in report.backends for each in run.comparisons)
    accepted = noise_texts(comparisons, format_number)
    if not accepted:
        return absent
    moves = ", ".join(f"{name} by {level}" for name, level in accepted.items())
    unstable = (
        "a 1e-6 perturbation of its inputs and weights, and another order of its sums, change its own answers "
        f"({moves}, root mean square)"
    )
    limit = f"Differences up to {NOISE_FACTOR} times that are accepted."
    pieces = {run.backend: max(each.pieces for each in run.comparisons) for run in report.backends if run.comparisons}
    if compared := {runner_name(name): count for name, count in pieces.items() if count}:
        counted = ", ".join(f"{count} values on {name}" for name, count in compared.items())
        limit = (
            "That is too much to tell right outputs from wrong ones. So the graph was compared piece by piece, each "
            f"computed from native ONNX Runtime's values: no node is wrong ({counted})."
        )
    return [*absent, f"This model is numerically unstable: {unstable}. {limit}"]
