"""Lines that `webbuild pack` prints: assumptions, rewrites and comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from webbuild.compare.by_output import count_matched, count_near_threshold, group_by_output
from webbuild.compare.comparison import Comparison
from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel
from webbuild.compile.model_variant import ModelVariant
from webbuild.compile.prove import ProvenGraphs
from webbuild.equivalence.check import EquivalenceResult
from webbuild.equivalence.noise_floor import NOISE_FACTOR
from webbuild.inspection.before_after import BeforeAfter, inspect_before_after
from webbuild.manifest.manifest import OptionInput
from webbuild.manifest.states import state_inputs
from webbuild.passes.base import NmsPlacement, Rewrite
from webbuild.passes.lower import LoweredGraphs
from webbuild.passes.nms.suppression_form import suppression_form
from webbuild.quantization.report import WeightQuantizationReport
from webbuild.reporting.comparison_text import noise_texts
from webbuild.reporting.problem_text import see
from webbuild.reporting.quantities import format_count
from webbuild.runners.chain import ALL_STAGES
from webbuild.samples.sequences import STEPS
from webbuild.targets.target import Target
from webbuild.verify.formatting import runner_name

_MAX_LINES = 5
"""Maximum number of lines of one kind: a pack without problems prints at most ten lines."""


def findings_before_after(loaded: LoadedModel, compiled: CompiledModel, target: Target) -> BeforeAfter | None:
    """Return the findings of `inspect` in the original and in the WebGPU graph; None without a kernel table."""
    patched = compiled.lowered.graphs["webgpu"]
    return inspect_before_after(loaded.source.model, patched, target, loaded.dims.dims, compiled.inspection)


def compiled_lines(
    compiled: CompiledModel, findings: BeforeAfter | None, nms: NmsPlacement, *, every: bool = False
) -> Iterator[str]:
    """Yield a line for each assumption, one for the rewrites, and more for remaining findings.

    Many assumptions are truncated, unless `every` is set because no report is written.
    """
    most = len(compiled.assumptions) if every else _MAX_LINES
    yield from (f"note: {assumption}" for assumption in _truncate_lines(compiled.assumptions, most))
    yield from (f"warning: {each}" for each in compiled.warnings)
    lowered = compiled.lowered
    disabled = compiled.disabled_target
    *failing, inspected = [""] if findings is None else findings.summary_lines(disabled=disabled is not None)
    counts = {target: sum(rewrite.applied for rewrite in rewrites) for target, rewrites in lowered.rewrites.items()}
    nodes = {target: format_count(model.graph.num_nodes(), "node") for target, model in lowered.graphs.items()}
    patched = [
        f"{runner_name(target)} {format_count(counts[target], 'rewrite')}, {nodes[target]}" for target in lowered.graphs
    ]
    refusals = list(refusal_lines(lowered))
    shown_refusals = refusals if findings is not None and findings.after else []
    refusal_count = [f"{len(refusals)} left alone"] if refusals and not shown_refusals else []
    suppression = suppression_form(lowered.graphs["webgpu"], lowered.rewrites["webgpu"], nms)
    in_shader = ["NMS in a shader"] if suppression is not None and suppression.form == "shader" else []
    yield "patched: " + "; ".join([*patched, *in_shader, *refusal_count, *filter(None, [inspected])])
    yield from failing
    yield from _truncate_lines(shown_refusals, _MAX_LINES)
    if suppression is not None and suppression.form != "shader":
        yield f"NMS on WebGPU {suppression.where}: {suppression.reason}"
    if disabled is not None:
        yield f"disabled on {disabled.target}; falls back to WASM [{disabled.code}] {disabled.reason}"
        yield see(disabled.code)


def _truncate_lines(lines: Sequence[str], most: int) -> list[str]:
    """Return at most `most` lines, the last of which counts the rest."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"and {len(lines) - most + 1} more: see report.html in the bundle"]


def refusal_lines(lowered: LoweredGraphs) -> Iterator[str]:
    """Yield a line for each pass and reason with unchanged nodes, over all graphs."""
    refusals: dict[tuple[str, str], dict[str, None]] = {}
    for rewrites in lowered.rewrites.values():
        for rewrite in rewrites:
            if not rewrite.applied:
                refusals.setdefault((rewrite.code, rewrite.reason), {})[rewrite.location] = None
    for (code, reason), (first, *more) in refusals.items():
        yield f"left alone [{code}] {first}{f' and {len(more)} more' if more else ''}: {reason}"


def rewrite_lines(by_target: Mapping[str, Sequence[Rewrite]]) -> Iterator[str]:
    """Yield each rewrite of each graph, and each node that a pass did not rewrite."""
    for target, rewrites in by_target.items():
        for rewrite in rewrites:
            done = "done" if rewrite.applied else "left"
            yield f"{target}: {done} [{rewrite.code}] {rewrite.location}: {rewrite.reason}"


def pipeline_lines(comparisons: Sequence[Comparison], samples: int, suffix: str) -> Iterator[str]:
    """Yield the comparison of all stages together with the originals. `suffix` is the size if there are several."""
    compared = _sameness("same results as the originals one after another", comparisons)
    yield f"proven {ALL_STAGES}{suffix}: {compared} on {format_count(samples, 'sample')}"


def proven_lines(proven: ProvenGraphs, variant: ModelVariant) -> Iterator[str]:
    """Yield the comparison of a variant's graphs with the original, and their quantization and precision."""
    *before, compared = _equivalence_lines(proven.equivalence, variant.compiled.options)
    yield from before
    steps = f" and a sequence of {STEPS} runs" if state_inputs(variant.compiled.match.inputs) else ""
    yield f"proven{variant.suffix}: {compared} on {format_count(len(variant.samples), 'sample')}{steps}"
    if proven.quantized is not None:
        yield from _quantization_lines(proven.quantized.report)
    if proven.kept_floats:
        yield f"note: the weights of{variant.suffix} stay float32: {proven.kept_floats}"
    if proven.reduced is not None:
        yield f"precision{variant.suffix} {proven.reduced.report.precision}: {proven.reduced.report.reason}"


def _equivalence_lines(result: EquivalenceResult, options: tuple[OptionInput, ...]) -> Iterator[str]:
    comparisons = result.comparisons
    for option in options:
        if (used := result.thresholds[option.option]) != option.default:
            lower = used < option.default
            reason = "No sample has a detection" if lower else "Every sample exceeds the GPU NMS capacity"
            yield f"{reason} at {option.option} {option.default:g}; compared at {used:.3g}."
    for name, level in noise_texts(comparisons, "{:.2g}".format).items():
        yield (
            f"{name} is numerically unstable: a 1e-6 perturbation of inputs and weights changes the original's output "
            f"by {level} (root mean square); differences up to {NOISE_FACTOR} times that were accepted."
        )
    yield _sameness("same results as the original", comparisons)


def _sameness(what: str, comparisons: Sequence[Comparison]) -> str:
    matched, near = count_matched(comparisons), count_near_threshold(comparisons)
    fallbacks = len({(each.subject.sample, each.subject.runner) for each in comparisons if each.from_fallback})
    things = "regions" if any(each.subject.quantity == "regions" for each in comparisons) else "detections"
    return (
        f"{what}, {format_count(len(group_by_output(comparisons)), 'comparison')}"
        + (f" and {matched} {things}" if matched else "")
        + (f" ({near} within tolerance of a threshold)" if near else "")
        + (f", {format_count(fallbacks, 'run')} repeated on the fallback graph" if fallbacks else "")
    )


def _quantization_lines(report: WeightQuantizationReport) -> Iterator[str]:
    share, eight = 100 * report.stored / report.floats, 100 * report.eight / report.numbers
    yield f"{report.stored:,} bytes, {share:.1f} % of {report.floats:,} as float32; found in {report.tried} runs"
    yield f"{eight:.1f} % of the values in 8 bits, {len(report.wide)} tensors in more"
