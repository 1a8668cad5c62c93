"""`webbuild pack`: load, recognise, lower, place, compare, emit, verify, report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
import numpy as np

from webbuild.browser.require_playwright import INSTALL_BROWSER, has_playwright
from webbuild.bundle.emit import BundleContents, public_outputs, write_bundle, write_manifest
from webbuild.bundle.file_names import safe_file_name
from webbuild.bundle.golden import choose_golden_run, with_uint8_images
from webbuild.bundle.golden_sequence import with_sequence
from webbuild.bundle.report import PackReport, write_pack_report
from webbuild.bundle.staging import check_output_folder, staged_folder
from webbuild.bundle.weight_parts import write_gzipped_graph
from webbuild.commands.locate_and_export import export_located, parse_export_options
from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_text import compiled_lines, proven_lines, rewrite_lines
from webbuild.commands.verify import verify_and_show, write_html_report
from webbuild.compare.comparison import with_variant
from webbuild.compile.compile_batch import compile_batch
from webbuild.compile.compile_model import CompiledModel, compile_model
from webbuild.compile.load_model import LoadedModel, load_model
from webbuild.compile.mixed_precision import check_exclusive_options
from webbuild.compile.model_variant import ModelVariant, compile_variants, naming_variant
from webbuild.compile.prove import ProvenGraphs, prove_graphs
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.errors import CLEAN, WebbuildError
from webbuild.inspection.before_after import BeforeAfter, inspect_before_after
from webbuild.manifest.manifest import Input, Variant
from webbuild.model.given_states import parse_states
from webbuild.model.load import require_model
from webbuild.model.locate import locate_model
from webbuild.model.set_inputs import parse_set
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.precision.budget import parse_budget
from webbuild.reporting.progress import ProgressReporter
from webbuild.reporting.write import print_json
from webbuild.samples.collect import collect_samples, with_focus_distances
from webbuild.samples.prompts import attach_prompts, with_prompts
from webbuild.targets.table import find_table
from webbuild.targets.target import Target
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.picture_batches import parse_batches
from webbuild.tasks.picture_sizes import parse_sizes
from webbuild.tasks.registry import kind_of
from webbuild.tasks.symbolic_dims import parse_dims
from webbuild.tasks.user_overrides import parse_overrides
from webbuild.verify.report import VerifyReport, exit_code


def run(arguments: PackArguments) -> int:
    """Pack a model. Returns the exit code. Without Playwright the bundle is proven natively, and not in a browser.

    Raises:
        WebbuildError: whatever stops it; nothing is written then.
    """
    progress = ProgressReporter(quiet=arguments.as_json, durations=False)
    dims, sizes, budget = parse_dims(arguments.dims), parse_sizes(arguments.size), parse_budget(arguments.budget)
    overrides = parse_overrides(arguments.overrides, guess_pictures=arguments.may_guess_pictures)
    export_options = parse_export_options(arguments.export)
    batches = parse_batches(arguments.batch)
    check_exclusive_options(arguments.precision, arguments.weights, batches)
    located = locate_model(arguments.model)
    require_model(located.path)
    out = arguments.out or Path("dist") / safe_file_name(located.name)
    if not arguments.dry_run:
        check_output_folder(out, force=arguments.force)
    target = Target(engine_version(), "webgpu")

    path = export_located(located, export_options, progress)
    values, first = parse_set(arguments.values), next(iter(sizes), None)
    states = parse_states(arguments.states)
    loaded = load_model(path, dims, progress, values, first, arguments.samples, states)

    def compile_single(resized: LoadedModel, like: TaskMatch | None) -> CompiledModel:
        return compile_model(
            resized, target, task=arguments.task, nms=arguments.nms, wanted=overrides, progress=progress, like=like
        )  # recognise, lower, place

    def compile_several(resized: LoadedModel, single: CompiledModel, batch: int) -> CompiledModel:
        return compile_batch(resized, target, single, batch, nms=arguments.nms)

    variants = compile_variants(loaded, dims, sizes, batches, compile_single, compile_several, arguments.samples)
    compiled = variants[0].compiled
    lowered = compiled.lowered
    findings = inspect_before_after(loaded.source.model, lowered.graphs["webgpu"], target, loaded.dims.dims)
    progress.print_lines(compiled_lines(compiled, findings, arguments.nms, whole=arguments.dry_run))
    if arguments.dry_run:
        print_json({"rewrites": lowered.rewrites}) if arguments.as_json else click.echo(
            "\n".join(rewrite_lines(lowered))
        )
        return CLEAN
    variants = [_with_samples(each, located.path, arguments, progress) for each in variants]
    with staged_folder(out) as folder:
        proven = prove_graphs(
            variants,
            folder,
            progress,
            weights=arguments.weights,
            precision=arguments.precision,
            budget=budget,
            table=find_table(target),
            browser=not arguments.no_verify,
        )
        for each, of_each in zip(variants, proven, strict=True):
            progress.print_lines(proven_lines(of_each, each))
        with progress.step("write the bundle"):
            packed = _emit(located.name, variants, proven, findings, folder)
        verified = _verify(folder) if has_playwright() and not arguments.no_verify else None
    progress.print(f"written: {out}, with a page and a report; open them with: webbuild serve {out}")
    if not isinstance(verified, VerifyReport) and not arguments.no_verify:
        before = f"{INSTALL_BROWSER}, then" if verified is None else "fix the error below, then run"
        progress.print(f"proven natively, not compared in a browser; for that: {before} webbuild verify {out}")
    _report(verified, out)
    if arguments.as_json:
        print_json({"pack": packed, "verify": verified})
    return exit_code(verified) if isinstance(verified, VerifyReport) else CLEAN


def _with_samples(
    variant: ModelVariant, path: Path, arguments: PackArguments, progress: ProgressReporter
) -> ModelVariant:
    """Return a variant with the samples that it is compared on."""
    loaded = variant.loaded
    match = with_prompts(variant.compiled.match, path, arguments.prompts)
    compiled = msgspec.structs.replace(variant.compiled, match=match)
    with naming_variant(variant.name):
        samples = attach_prompts(match, collect_samples(path, arguments.samples, variant.single_inputs, loaded.ranges))
        samples, notes = replace_nan_inputs(loaded.original, samples, compiled.postprocess, seek_signal=True)
    progress.print_lines(notes)
    return msgspec.structs.replace(variant, compiled=compiled, samples=samples)


def _emit(
    name: str,
    variants: Sequence[ModelVariant],
    proofs: Sequence[ProvenGraphs],
    findings: BeforeAfter | None,
    folder: Path,
) -> PackReport:
    """Write everything around the graphs in `folder`: the golden run, the page, the reports, the manifest."""
    (variant, *others), (proven, *more) = variants, proofs
    loaded, compiled, samples = variant.loaded, variant.compiled, variant.samples
    match, equivalence = compiled.match, proven.equivalence
    thresholds = {each.name: np.array([equivalence.thresholds[each.option]], np.float32) for each in compiled.options}
    golden = choose_golden_run(samples, equivalence.comparisons, equivalence.outputs, thresholds)
    if golden is not None and kind_of(match.task).compares_predictions:
        golden = with_uint8_images(golden, match.inputs, proven.graphs, folder)
    if golden is not None:
        golden = with_sequence(golden, match.inputs, proven.graphs, folder)
    compressed = () if proven.quantized is None else tuple(proven.quantized.files)
    own = {graph.file for graph in proven.graphs}
    extra = sorted({graph.file for each in more for graph in each.graphs} - own)
    contents = BundleContents(
        name=safe_file_name(name),
        title=name,
        source=loaded.source,
        task=match.task,
        inputs=_inputs(variant),
        graphs=tuple(proven.graphs),
        disabled_targets=compiled.disabled_targets,
        samples=tuple(samples),
        golden=golden,
        evaluation_thresholds=equivalence.thresholds,
        assumptions=compiled.assumptions,
        warnings=(*compiled.warnings, *proven.warnings),
        files=match.files,
        precompressed_files=(*compressed, *(write_gzipped_graph(folder / file, folder) for file in extra)),
        variants=tuple(_manifest_variant(*each) for each in zip(others, more, strict=True)),
    )
    manifest = write_bundle(contents, folder)
    compared = zip(variants, proofs, strict=True)
    report = PackReport.build(
        manifest,
        compiled.lowered,
        [each for one, proof in compared for each in with_variant(proof.equivalence.comparisons, one.name)],
        findings,
        folder=folder,
        fp16_backend="" if proven.reduced is None else proven.reduced.fp16_backend,
        weight_quantization=None if proven.quantized is None else proven.quantized.report,
        precision_search=None if proven.reduced is None else proven.reduced.report,
    )
    shown = [sample for sample in samples if sample.has_image]
    write_pack_report(report, manifest, shown, equivalence, loaded.source.model.graph.num_nodes(), folder)
    write_manifest(manifest, folder)
    return report


def _inputs(variant: ModelVariant) -> tuple[Input, ...]:
    compiled = variant.compiled
    return (*with_focus_distances(compiled.match.inputs, variant.samples), *compiled.options)


def _manifest_variant(variant: ModelVariant, proven: ProvenGraphs) -> Variant:
    return Variant(
        task=variant.compiled.match.task,
        inputs=list(_inputs(variant)),
        outputs=public_outputs(proven.graphs, _inputs(variant)),
        graphs=list(proven.graphs),
        disabled_targets=list(variant.compiled.disabled_targets),
        evaluation_thresholds=proven.equivalence.thresholds,
    )


def _verify(folder: Path) -> VerifyReport | WebbuildError:
    """Verify the bundle before it takes its place. A machine that cannot is no reason to lose the bundle."""
    try:
        return verify_and_show(folder)
    except WebbuildError as error:
        return error


def _report(verified: VerifyReport | WebbuildError | None, out: Path) -> None:
    """Write the verification's page next to the bundle, in place of the previous bundle's.

    Raises:
        WebbuildError: what kept the bundle from being verified; `unwritable-report`.
    """
    page = out.with_name(f"{out.name}.verify.html")
    page.unlink(missing_ok=True)
    if isinstance(verified, WebbuildError):
        raise verified
    if verified is not None:
        write_html_report(page, verified, out)
