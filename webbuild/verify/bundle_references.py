"""References for a whole bundle: of each variant of each stage, and of all stages together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from webbuild.manifest.variant_names import picture_size
from webbuild.verify.bundle import Bundle
from webbuild.verify.glue import RunGlue
from webbuild.verify.pipeline_reference import compute_pipeline_references
from webbuild.verify.stage_reference import compute_stage_reference, first_variants, takes_earlier
from webbuild.verify.variant_reference import VariantReference, compute_variant_reference


def compute_references(
    bundle: Bundle,
    backends: Sequence[str],
    precision: str,
    files: Sequence[Path],
    folder: Path,
    run_glue: RunGlue,
    say: Callable[[str], None],
    *,
    track: bool,
) -> list[VariantReference]:
    """Compute the references on native ONNX Runtime; those of all stages together come last.

    Args:
        bundle: the bundle.
        backends: the backends to compare.
        precision: the precision of the graphs; `auto` for all.
        files: pictures or .npz files, in addition to the bundle's samples.
        folder: the folder of generated pictures.
        run_glue: runs the module before a stage.
        say: called with each step of progress.
        track: whether to add a video, to compare the ids of objects.

    Raises:
        WebbuildError: `reference-session-failed`, `reference-run-failed`, `invalid-golden`, and what `collect_inputs`
            raises.
    """
    references: list[VariantReference] = []
    for each in bundle.variants:
        say(f"native: the reference {each.variant}".rstrip())
        names = each.graph_names(backends, precision)
        if each.batch > 1:
            references.append(_for_batch(each, names, references))
        elif takes_earlier(each):
            references.append(compute_stage_reference(each, names, first_variants(references), run_glue))
        else:
            more = references[0].more if references else None
            references.append(compute_variant_reference(each, names, files, folder, more, say, track=track))
    if bundle.manifest.stages and not any(each.problems for each in references):
        say("native: the reference of all stages together")
        references += list(compute_pipeline_references(bundle, references, backends, precision, run_glue))
    return references


def _for_batch(batch: Bundle, names: Sequence[str], references: Sequence[VariantReference]) -> VariantReference:
    """Return the reference of the single-picture graph for a batch: each picture is compared with its own run."""
    alike = (batch.stage, picture_size(batch.manifest))
    single = next(each for each in references if (each.bundle.stage, picture_size(each.bundle.manifest)) == alike)
    return msgspec.structs.replace(single, bundle=batch, names=names)
