"""Tiles of a model that makes pictures: by its receptive field where that fits the input, else by what is measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import onnx_ir as ir

from webbuild.compile.tile_seams import Seam, SeamMeasure
from webbuild.manifest.inputs import ImageInput, NumberInput, OptionInput
from webbuild.manifest.tasks import TilePlan
from webbuild.passes.analysis.receptive_field import GlobalContext, ReceptiveField, receptive_field
from webbuild.preprocess.image import input_size
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.runners.native import NativeRunner
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.registry import kind_of

if TYPE_CHECKING:
    from webbuild.reporting.progress import ProgressReporter

_AXES = {"nchw": (2, 3), "nhwc": (1, 2)}
_MOST = 3 / 8
"""Part of the input's side up to which a halo leaves tiles worth running: a quarter of it is kept."""
_SHARES = (4, 8, 16)
"""Where a receptive field does not fit, the parts of the input's side that are tried as a halo."""
_USUAL_MULTIPLE = 16
"""What networks of which it is not known reduce a picture by, as a rule."""
_INVISIBLE = 1 / 255
"""A seam below which the next smaller halo is tried."""
_BESIDE = "the model takes something beside the picture that belongs to all of it"
_VISIBLE = 0.02
"""Mean difference at a seam, in parts of the way from black to white, from which on there are no tiles."""


def with_tiles(match: TaskMatch, graph: ir.Model, original: NativeRunner, progress: ProgressReporter) -> TaskMatch:
    """Return a model that makes pictures with the tiles that pictures of other sizes are run in, if they can be.

    Raises:
        WebbuildError: `reference-run-failed`.
    """
    kind = kind_of(match.task)
    output = kind.tiled_output(match.task)
    images = [spec for spec in match.inputs if isinstance(spec, ImageInput)]
    if output is None or len(images) != 1 or images[0].shape[0] != 1:
        return match
    (image,) = images
    if not all(isinstance(spec, ImageInput | NumberInput | OptionInput) for spec in match.inputs):
        return msgspec.structs.replace(match, assumptions=(*match.assumptions, _refusal(image, _BESIDE)))
    with progress.step("measure what tiles of a picture need"):
        found = receptive_field(graph.graph, image.name, output.name, _AXES[image.layout], _AXES[output.layout])
        measure = SeamMeasure(image, output, original, number_feeds(match.inputs))
        obstacle = _obstacle(image, found, measure)
        plan, said = _blended(image, found, obstacle, measure) if obstacle else _exact(image, found)
    task = match.task if plan is None else kind.with_tiles(match.task, plan)
    return msgspec.structs.replace(match, task=task, assumptions=(*match.assumptions, said))


def _obstacle(image: ImageInput, found: ReceptiveField | GlobalContext, measure: SeamMeasure) -> str:
    """Return why tiles do not give what the whole picture does, empty where they do."""
    if isinstance(found, GlobalContext):
        return str(found)
    side = min(input_size(image))
    if found.halo > _MOST * side or side - 2 * found.halo < 2 * found.multiple:
        return f"each pixel sees {found.halo} pixels in each direction, too many for {_tiles(image)}"
    if found.rounded:
        return f"{found.rounded} rounds by position"
    apart = measure.overlap(found.halo, found.multiple).largest
    return f"two tiles of a photograph differ by {apart:.1e} of white at the same pixel" if apart else ""


def _exact(image: ImageInput, found: ReceptiveField | GlobalContext) -> tuple[TilePlan, str]:
    """Return the plan that gives what the whole picture does, and what is said of it."""
    assert isinstance(found, ReceptiveField)
    said = f"each pixel sees {found.halo} pixels in each direction, and two tiles of a photograph agree to the last bit"
    plan = TilePlan(halo=found.halo, multiple=found.multiple, exact=True)
    return plan, f"pictures of other sizes are run in {_tiles(image)}, exactly: {said}"


def _blended(
    image: ImageInput, found: ReceptiveField | GlobalContext, obstacle: str, measure: SeamMeasure
) -> tuple[TilePlan | None, str]:
    """Return the plan with the least halo at which no seam is seen, else with the largest, and what is said of it."""
    side = min(input_size(image))
    multiple = found.multiple if isinstance(found, ReceptiveField) else math.gcd(*input_size(image), _USUAL_MULTIPLE)
    best: tuple[int, Seam] | None = None
    for share in _SHARES:
        halo = math.ceil(side / share)
        if side - 2 * halo < multiple or (best is not None and not measure.has_time):
            break
        seam = measure.seam(halo, multiple, halo // 2)
        if best is None or seam.largest <= _INVISIBLE:
            best = halo, seam
        if seam.largest > _INVISIBLE:
            break
    if best is None:
        return None, _refusal(image, f"{obstacle}, and tiles cannot advance by {multiple} pixels")
    halo, seam = best
    mean, largest = (f"{255 * each:.2g}" for each in (seam.mean, seam.largest))
    differ = f"where two meet they differ by {mean} of 255 levels on average, by {largest} at most"
    if seam.mean > _VISIBLE:
        return None, _refusal(image, f"{obstacle}; {differ}")
    plan = TilePlan(halo=halo, multiple=multiple, exact=False, seam=round(seam.largest, 6))
    return (
        plan,
        f"pictures of other sizes are run in {_tiles(image)}, blended; tiles are not exact: {obstacle}; {differ}",
    )


def _tiles(image: ImageInput) -> str:
    height, width = input_size(image)
    return f"tiles of {width} x {height}"


def _refusal(image: ImageInput, why: str) -> str:
    height, width = input_size(image)
    return f"pictures are resized to {width} x {height}, there are no tiles: {why}"
