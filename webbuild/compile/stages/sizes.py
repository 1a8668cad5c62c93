"""The stages of a bundle at each size of the first one's pictures: the later ones take what comes of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import Struct

from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.samples import with_later_samples


class SizedStages(Struct, frozen=True):
    """All stages at one size, with one variant each, and their graphs. Without a name it is the only size."""

    name: str
    stages: Sequence[ModelStage]
    proven: Sequence[ProvenGraphs]


def at_each_size(
    stages: Sequence[ModelStage], proven: Sequence[Sequence[ProvenGraphs]], say: Callable[[Sequence[str]], None]
) -> Iterator[SizedStages]:
    """Yield the stages at each size, the later ones with samples of what the originals before them answer at it.

    Args:
        stages: in their order, with samples for the first size.
        proven: the graphs of each variant of each.
        say: called with what was done to numbers that the original refuses.
    """
    first, *later = stages
    for at, variant in enumerate(first.variants):
        alone = [
            msgspec.structs.replace(first, variants=[variant]),
            *(msgspec.structs.replace(each, variants=each.variants[:1]) for each in later),
        ]
        own = with_later_samples(alone, say) if at > 0 else alone
        name = variant.name.removeprefix(first.name).strip()
        yield SizedStages(name, own, [proven[0][at], *(each[0] for each in proven[1:])])
