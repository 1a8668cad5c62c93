"""The stages of a bundle at each picture size of the first stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import Struct

from webbuild.compile.model_variant import ModelVariant
from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.samples import with_later_samples
from webbuild.manifest.manifest import CropInput


class SizedStages(Struct, frozen=True):
    """All stages at one picture size, and the graphs of their variants. The name is empty if it is the only size.

    A stage has one variant, except for a text recognizer: it has one for each line width.
    """

    name: str
    stages: Sequence[ModelStage]
    proven: Sequence[Sequence[ProvenGraphs]]


def at_each_size(
    stages: Sequence[ModelStage], proven: Sequence[Sequence[ProvenGraphs]], print_lines: Callable[[Sequence[str]], None]
) -> Iterator[SizedStages]:
    """Yield the stages at each size; later stages have samples from the originals' outputs at that size.

    Args:
        stages: the stages in order, with samples for the first size.
        proven: the graphs of each variant of each stage.
        print_lines: receives notes on redrawn random inputs.
    """
    first, *later = stages
    at_widths = [_at_each_width(*each) for each in zip(later, proven[1:], strict=True)]
    for at, variant in enumerate(first.variants):
        alone = [msgspec.structs.replace(first, variants=[variant]), *(stage for stage, _ in at_widths)]
        sized = with_later_samples(alone, print_lines) if at > 0 else alone
        name = variant.name.removeprefix(first.name).strip()
        yield SizedStages(name, sized, [[proven[0][at]], *(graphs for _, graphs in at_widths)])


def _at_each_width(stage: ModelStage, proven: Sequence[ProvenGraphs]) -> tuple[ModelStage, list[ProvenGraphs]]:
    """Return a later stage with its first variant; a text recognizer with the single-line variant of each width."""
    indices = [at for at, each in enumerate(stage.variants) if at == 0 or (each.batch == 1 and _reads_lines(each))]
    return msgspec.structs.replace(stage, variants=[stage.variants[at] for at in indices]), [
        proven[at] for at in indices
    ]


def _reads_lines(variant: ModelVariant) -> bool:
    return any(isinstance(each, CropInput) and each.aspect == "line" for each in variant.compiled.match.inputs)
