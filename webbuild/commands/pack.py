"""`webbuild pack`: load, plan, prove, emit, verify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np
from msgspec import Struct

from webbuild.assets import engine_version
from webbuild.bundle.emit import Contents, emit, seal
from webbuild.bundle.golden import at_levels, golden_run
from webbuild.bundle.graphs import write_graphs
from webbuild.bundle.lean.lean import Stored, store
from webbuild.bundle.names import safe_name
from webbuild.bundle.report import PackReport, write_report
from webbuild.bundle.staging import check_place, staged
from webbuild.dims import parse_dims
from webbuild.errors import CLEAN, WebbuildError
from webbuild.inspection.foreseen import foresee
from webbuild.inspection.kept_right import unfit
from webbuild.manifest import Graph, OptionInput, TargetName, TensorTask, Weights, Withheld
from webbuild.overrides import parse_overrides
from webbuild.passes._base import Suppression
from webbuild.plan import TARGETS, Plan
from webbuild.precision.budget import parse_budget
from webbuild.precision.vary import Asked, Varied, one_of_two, vary
from webbuild.prepared import Prepared, open_model, prepare
from webbuild.prompts import asked, asked_extremes, with_prompts
from webbuild.proof import REGIONS, matched_detections
from webbuild.prove import Witness
from webbuild.samples import Sample, collect, edge_cases, with_focus
from webbuild.talk import Talk
from webbuild.targets.table import table_if_measured
from webbuild.targets.target import Target
from webbuild.trial import prove_where_it_finds
from webbuild.verify.command import check, write_page
from webbuild.verify.remembered import Remembered
from webbuild.verify.report import VerifyReport, exit_code

_ISLANDS = ("NonMaxSuppression", "NonZero")
"""Operators without a GPU kernel, the length of whose output depends on the data."""


class Request(Struct, frozen=True):
    """The arguments of the command."""

    model: Path
    out: Path | None
    task: str | None
    dims: tuple[str, ...]
    samples: tuple[Path, ...]
    prompts: tuple[str, ...]
    nms: Suppression
    weights: Weights
    precision: Asked
    budget: tuple[str, ...]
    overrides: Mapping[str, Any]
    verify: bool
    dry_run: bool
    force: bool
    as_json: bool


def run(request: Request) -> int:
    """Pack a model. Returns the exit code.

    Raises:
        WebbuildError: whatever stops it; nothing is written then.
    """
    talk = Talk(quiet=request.as_json)
    name = safe_name(request.model.stem)
    out = request.out or Path("dist") / name
    given = parse_dims(request.dims)
    wanted = parse_overrides(request.overrides)
    budget = parse_budget(request.budget)
    one_of_two(request.precision, request.weights)
    if not request.dry_run:
        check_place(out, force=request.force)
    opened = open_model(request.model, given, talk)
    source, original = opened.source, opened.original
    target = Target(engine_version(), "webgpu")
    ready = prepare(opened, target, task=request.task, nms=request.nms, wanted=wanted, talk=talk)
    planned, known, options, assumptions = ready.planned, ready.known, list(ready.options), ready.assumptions
    _tell(talk, planned, assumptions)
    _tell_suppression(talk, planned, request.nms)
    foreseen = foresee(source.model, planned.models["webgpu"], target, opened.sizes.dims)
    for line in () if foreseen is None else foreseen.told():
        talk.say(f"    {line}")
    targets: tuple[TargetName, ...] = TARGETS if ready.withheld is None else ("wasm",)
    withheld = _withheld(ready)
    for each in withheld:
        talk.say(f"    not for {each.build}, runs on WASM there [{each.code}] {each.why}")
    if request.dry_run:
        _print_edits(planned, request.as_json)
        return CLEAN
    known = with_prompts(known, request.model, request.prompts)
    samples = asked(known, collect(request.model, request.samples, known.inputs))
    with staged(out) as folder:
        with talk.step("write the graphs"):
            graphs = write_graphs({target: planned.models[target] for target in targets}, folder / "model")
        with talk.step(f"prove them on {len(samples)} samples"):
            edges = asked_extremes(known, edge_cases(known.inputs))
            again = Remembered(original) if request.weights == "int8" else original

            def prove(graphs: Sequence[Graph], edges: Sequence[Sample] = ()) -> Witness:
                return prove_where_it_finds(
                    again, source, graphs, folder, known.task, options, samples, edges, ready.raw, opened.sizes.dims
                )

            witness = prove(graphs, edges)
        _tell_proof(talk, witness, options)
        lean: Stored | None = None
        if request.weights == "int8":
            with talk.step("store the weights as whole numbers"):
                lean = store([planned.models[target] for target in targets], graphs, folder, prove)
                graphs, witness = lean.graphs, lean.witness
            _tell_lean(talk, lean)
        varied: Varied | None = None
        if request.precision != "fp32":
            with talk.step("look for what can be float16"):
                shipped, known_table = planned.models["webgpu"], table_if_measured(target)
                told = (graphs, folder, known.task, options, samples, witness, budget, talk)
                varied = vary(request.precision, shipped, known_table, *told, browser=request.verify)
                graphs, witness = varied.graphs, varied.witness
            talk.say(f"    {varied.searched.precision}: {varied.searched.why}")
        with talk.step("write the bundle"):
            used = {each.name: np.array([witness.thresholds[each.option]], np.float32) for each in options}
            golden = golden_run(samples, witness.proofs, witness.outputs, used)
            if golden is not None and not isinstance(known.task, TensorTask):
                golden = at_levels(golden, known.inputs, graphs, folder)
            contents = Contents(
                name,
                request.model.stem,
                source,
                known.task,
                (*with_focus(known.inputs, samples), *options),
                tuple(graphs),
                withheld,
                tuple(samples),
                golden,
                witness.thresholds,
                assumptions,
                known.files,
                () if lean is None else tuple(lean.files),
            )
            manifest = emit(contents, folder)
            searched = None if varied is None else varied.searched
            report = PackReport.of(
                manifest,
                planned,
                witness.proofs,
                foreseen,
                folder=folder,
                arithmetic="" if varied is None else varied.arithmetic,
                weights=None if lean is None else lean.lean,
                searched=searched,
            )
            pictured = [sample for sample in samples if sample.shown]
            write_report(report, manifest, pictured, witness, source.model.graph.num_nodes(), folder)
            seal(manifest, folder)
        checked = _check(folder, talk) if request.verify else None
    talk.say(f"\n  {out}/index.html is ready: webbuild serve {out}")
    verified = _publish(checked, folder, out)
    if request.as_json:
        _print_json({"pack": report, "verify": verified})
    return CLEAN if verified is None else exit_code(verified)


def _withheld(ready: Prepared) -> tuple[Withheld, ...]:
    """Return the builds for which WASM is taken: that of the bundle, and the default entry, which is in no bundle."""
    if ready.withheld is not None:
        return (ready.withheld,)
    known = table_if_measured(Target(engine_version(), "jsep"))
    found = None if known is None else unfit(ready.planned.models["webgpu"], known)
    return () if found is None else (found,)


def _tell(talk: Talk, planned: Plan, assumptions: tuple[str, ...]) -> None:
    for assumption in assumptions:
        talk.say(f"    assumed: {assumption}")
    for target, model in planned.models.items():
        done = sum(edit.done for edit in planned.edits[target])
        refused = [edit for edit in planned.edits[target] if not edit.done]
        talk.say(f"    {target}: {done} edits, {model.graph.num_nodes()} nodes")
        for edit in refused:
            talk.say(f"      left alone [{edit.code}] {edit.where}: {edit.why}")


def _tell_suppression(talk: Talk, planned: Plan, nms: Suppression) -> None:
    """Say what a choice costs on WebGPU, if anything is left there that the data decide the length of."""
    if not any(node.op_type in _ISLANDS for node in planned.models["webgpu"].graph):
        return
    if nms == "cpu":
        talk.say("    on WebGPU, suppression runs on the CPU: what it reads is copied from the GPU in every run")
    if nms == "keep":
        talk.say("    suppression stays as exported: on WebGPU it may throw, where nothing is found above all")


def _tell_proof(talk: Talk, witness: Witness, options: Sequence[OptionInput]) -> None:
    proofs = witness.proofs
    for option in options:
        if (used := witness.thresholds[option.option]) != option.default:
            why = (
                "no sample has a detection" if used < option.default else "every sample is too much for the GPU's head"
            )
            talk.say(f"    {why} at {option.option} {option.default:g}: compared at {used:.3g}")
    matched = matched_detections(proofs)
    excused = sum(proof.excused for proof in proofs)
    repeated = len({(p.sample, p.target) for p in proofs if p.repeated})
    things = "regions" if any(proof.output == REGIONS for proof in proofs) else "detections"
    found = f", {matched} {things} matched, {excused} excused at a threshold" if matched else ""
    again = f", {repeated} runs repeated on the fallback graph" if repeated else ""
    talk.say(f"    {len(proofs)} comparisons{found}{again}")
    if leaps := [proof.leap for proof in proofs if proof.leap is not None]:
        why = f"one part in a million of the input moves the original's own answers by up to {max(leaps):.2g}"
        talk.say(f"    {len(leaps)} of them differ by no more than the model leaps: {why}")


def _tell_lean(talk: Talk, stored: Stored) -> None:
    lean = stored.lean
    part, eight = 100 * lean.stored / lean.floats, 100 * lean.eight / lean.numbers
    talk.say(f"    {lean.stored:,} bytes, {part:.1f} % of the floats' {lean.floats:,}; {lean.tried} runs to find out")
    talk.say(f"    {eight:.1f} % of the numbers in 8 bits, {len(lean.wide)} tensors in more")


def _print_edits(planned: Plan, as_json: bool) -> None:
    if as_json:
        _print_json({"edits": planned.edits})
        return
    for target, edits in planned.edits.items():
        for edit in edits:
            click.echo(f"{target}: {'done' if edit.done else 'left'} [{edit.code}] {edit.where}: {edit.why}")


def _print_json(value: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def _check(folder: Path, talk: Talk) -> VerifyReport | WebbuildError:
    """Verify the bundle before it takes its place. A machine that cannot is no reason to lose the bundle."""
    talk.say("\n  verify in Chromium")
    try:
        return check(folder, ["wasm", "webgpu"], [], None)
    except WebbuildError as error:
        return error


def _publish(checked: VerifyReport | WebbuildError | None, folder: Path, out: Path) -> VerifyReport | None:
    """Write the page of the verification beside the bundle, which has moved from `folder` to `out`.

    Raises:
        WebbuildError: what kept the bundle from being verified; `unwritable-report`.
    """
    page = out.with_name(f"{out.name}.verify.html")
    page.unlink(missing_ok=True)  # of the bundle that was there before
    if isinstance(checked, WebbuildError):
        raise checked
    if checked is None:
        return None
    moved = (
        msgspec.structs.replace(sample, file=sample.file and sample.file.replace(str(folder), str(out), 1))
        for sample in checked.samples
    )
    report = msgspec.structs.replace(checked, samples=tuple(moved))
    write_page(page, report)
    return report
