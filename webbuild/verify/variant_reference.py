"""Reference of a variant on native ONNX Runtime, to compare a browser's results with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from webbuild.compare.comparison import Comparison
from webbuild.equivalence.compare_runs import Reference
from webbuild.runners.native import NativeRunner
from webbuild.verify.augment import augment_images
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput, collect_inputs, inputs_from_files, sequence_inputs, video_inputs
from webbuild.verify.reference import check_golden_run, reference_runner, run_reference
from webbuild.verify.report import Problem
from webbuild.verify.run_backend import ReferenceResults
from webbuild.verify.tiled_reference import with_tiled
from webbuild.verify.tracks import video_picture


class VariantReference(Struct, frozen=True):
    """The inputs of a variant and the reference's answers, for the graphs `names`.

    The last inputs are the augmented pictures `more`. `checks` compare the golden run. `problems` come from the module
    before a stage.
    """

    bundle: Bundle
    names: Sequence[str]
    runner: NativeRunner
    reference: Reference
    inputs: Sequence[VerifyInput]
    more: Sequence[Path]
    checks: Sequence[Comparison]
    problems: Sequence[Problem] = ()

    @property
    def results(self) -> ReferenceResults:
        """The inputs with their answers."""
        return list(zip(self.inputs, self.reference.answers, strict=True))

    @property
    def sequences(self) -> dict[str, str]:
        """The sequence of each step, by title."""
        return {each.title: each.sequence for each in self.inputs if each.sequence}

    @property
    def noise(self) -> dict[str, float]:
        """The noise floor, by quantity."""
        return {} if self.reference.noise is None else self.reference.noise.named_levels


def compute_variant_reference(
    bundle: Bundle,
    names: Sequence[str],
    files: Sequence[Path],
    folder: Path,
    more: Sequence[Path] | None,
    say: Callable[[str], None],
    *,
    track: bool = False,
) -> VariantReference:
    """Compute the reference of a variant. `more` are the augmented pictures of the first variant, None for the first.

    All variants use the same pictures, so that a report has a row for each. With `track`, a video is added, to compare
    the ids of objects.
    """
    runner = reference_runner(bundle)
    inputs = collect_inputs(bundle, files)
    inputs += sequence_inputs(bundle, inputs, folder)
    reference = run_reference(bundle, runner, inputs)
    checks = check_golden_run(bundle, runner)
    more = augment_images(bundle, inputs, reference, folder) if more is None else more
    if more:
        say(f"native: {len(more)} more pictures, for a model that is numerically unstable")
        inputs = [*inputs, *inputs_from_files(bundle, more)]
        reference = run_reference(bundle, runner, inputs)
    if track and (shown := video_picture(inputs, reference.answers)) is not None:
        say("native: a video, to compare the ids of its objects")
        inputs = [*inputs, *video_inputs(bundle, shown, folder)]
        reference = run_reference(bundle, runner, inputs)
    inputs = with_tiled(bundle.manifest, inputs, runner.run)
    return VariantReference(bundle, names, runner, reference, inputs, more, checks)
