"""What `webbuild pack` did and proved, beside the model: report.json and report.html."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild import manifest as contract
from webbuild.bundle.lean.report import Lean
from webbuild.bundle.pages import environment
from webbuild.bundle.precision import Searched, precision
from webbuild.bundle.precision_plot import lines, points
from webbuild.bundle.transfer import Transfer, transfers
from webbuild.inspection.foreseen import Foreseen
from webbuild.manifest import DepthTask, Generator, Manifest, Source, TargetName, Task
from webbuild.passes._base import Edit, all_passes
from webbuild.plan import Plan
from webbuild.proof import REDUCED, TOLERANCE, Proof, matched_detections
from webbuild.prove import Witness
from webbuild.samples import Sample
from webbuild.tasks._base import Tensors, decode
from webbuild.tasks.classify import ClassScore
from webbuild.verify import words
from webbuild.verify.classes import SHOWN
from webbuild.verify.depth_picture import depth_picture
from webbuild.verify.drawing import Layer, layer

_STYLES = (
    Path(__file__).parent.parent / "verify" / "templates" / "verify.css",
    Path(__file__).parent / "templates" / "report.css",
)


class PackReport(Struct, frozen=True, rename="camel"):
    """Nothing in it depends on the machine or the time, and the same model gives the same report.

    But for `searched`: what computes in float16 is what the machine has, and a search may run out of time.
    """

    generator: Generator
    source: Source
    assumptions: list[str]
    edits: dict[TargetName, tuple[Edit, ...]]
    proofs: list[Proof]
    foreseen: Foreseen | None
    precision: str
    transfers: list[Transfer] = []
    arithmetic: str = ""
    weights: Lean | None = None
    searched: Searched | None = None

    @classmethod
    def of(
        cls,
        manifest: Manifest,
        planned: Plan,
        proofs: Sequence[Proof],
        foreseen: Foreseen | None = None,
        *,
        folder: Path,
        arithmetic: str = "",
        weights: Lean | None = None,
        searched: Searched | None = None,
    ) -> PackReport:
        """Gather the report's parts.

        `folder` has the graphs and the weights; `arithmetic` says what computed those in half precision, and why that.
        `weights` is None where they are stored as floats, `searched` where half precision was not asked for.
        """
        return cls(
            manifest.generator,
            manifest.source,
            manifest.assumptions,
            planned.edits,
            list(proofs),
            foreseen,
            precision(planned.models["webgpu"], searched),
            transfers(manifest, folder),
            arithmetic,
            weights,
            searched,
        )


class Card(Struct, frozen=True):
    """A sample picture, everyone's drawing of it, and the best classes of the original.

    `maps` are the pictures of the depth that the WASM graph sees, where that is the task.
    """

    sample: contract.Sample
    detections: int
    classes: Sequence[ClassScore]
    layers: tuple[Layer, ...]
    repeated: tuple[str, ...]
    maps: dict[str, str]


class Change(Struct, frozen=True):
    """What a pass did to which graphs, and what its docstring says."""

    code: str
    title: str
    explanation: str
    edits: tuple[tuple[str, Edit], ...]


def write_report(
    report: PackReport,
    manifest: Manifest,
    samples: Sequence[Sample],
    witness: Witness,
    nodes: int,
    folder: Path,
) -> None:
    """Write both files.

    Args:
        report: what was done.
        manifest: what was emitted.
        samples: those that can be shown, in the order of the manifest's samples.
        witness: what was found.
        nodes: how many the original graph has.
        folder: the bundle's.
    """
    (folder / "report.json").write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    style = "".join(file.read_text("utf-8") for file in _STYLES)
    (folder / "page" / "report.css").write_text(style, "utf-8")
    templates = environment(html=True)
    templates.filters.update(name=words.name)
    page = templates.get_template("report.html.j2").render(
        manifest=manifest,
        report=report,
        nodes=nodes,
        changes=_changes(report),
        cards=_cards(manifest, report, samples, witness),
        tolerance=TOLERANCE,
        reduced=REDUCED,
        matched=matched_detections(report.proofs),
        excused=sum(proof.excused for proof in report.proofs),
        drawn_points=points(report.searched.tried) if report.searched else [],
        drawn_lines=lines(),
    )
    (folder / "report.html").write_text(page, "utf-8")


def _changes(report: PackReport) -> list[Change]:
    """Group the edits by pass, in the order in which passes ran; an edit of both graphs is listed once."""
    changes = []
    for kind in all_passes():
        text = inspect.getdoc(kind) or ""
        title, _, explanation = text.partition("\n\n")
        merged: dict[Edit, list[str]] = {}
        for target, edits in report.edits.items():
            for edit in edits:
                if edit.code == kind.code and target not in merged.setdefault(edit, []):
                    merged[edit].append(target)
        if merged:
            listed = tuple((" and ".join(targets), edit) for edit, targets in merged.items())
            changes.append(Change(kind.code, title, explanation, listed))
    return changes


def _cards(
    manifest: Manifest,
    report: PackReport,
    samples: Sequence[Sample],
    witness: Witness,
) -> list[Card]:
    cards = []
    for sample, tried in zip(manifest.samples, samples, strict=False):
        name = tried.name
        seen = witness.detections.get(name, {})
        classes = witness.classes.get(name, ())[:SHOWN]
        thick_to_thin = sorted(seen.items(), key=lambda each: each[0] == "wasm")
        layers = tuple(layer(runner, manifest.task, found) for runner, found in thick_to_thin)
        repeated = tuple(proof.target for proof in report.proofs if proof.sample == name and proof.repeated)
        maps = _maps(manifest.task, tried, witness.outputs.get(name, {}))
        cards.append(Card(sample, len(seen.get("native", ())), classes, layers, repeated, maps))
    return cards


def _maps(task: Task, sample: Sample, outputs: Tensors) -> dict[str, str]:
    if not isinstance(task, DepthTask) or task.output not in outputs or sample.placement is None:
        return {}
    (found,) = decode(task, outputs, sample.placement)
    return {"as packed": depth_picture(task, found)}
