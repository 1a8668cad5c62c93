"""Tile plan of a picture model: from its receptive field if that fits the input, otherwise from measured seams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import onnx_ir as ir

from webbuild.compile.tile_seams import Seam, SeamMeasure
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.option import NumberInput, OptionInput
from webbuild.manifest.inputs.picture import ImageInput, MaskChannel
from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.passes.analysis.receptive_field import GlobalContext, ReceptiveField, receptive_field
from webbuild.preprocess.image import input_size
from webbuild.preprocess.mask import find_mask
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.runners.native import NativeRunner
from webbuild.tasks.kind.tiling import TiledOutput
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

if TYPE_CHECKING:
    from webbuild.reporting.progress import ProgressReporter

_AXES = {"nchw": (2, 3), "nhwc": (1, 2)}
_MAX_HALO_FRACTION = 3 / 8
"""Largest halo, as a fraction of the input's side: at 3/8 on both sides, a quarter of each tile is kept."""
_HALO_DIVISORS = (4, 8, 16)
"""Halos to try if the receptive field does not fit, as divisors of the input's side."""
_USUAL_MULTIPLE = 16
"""Assumed stride of a network with an unknown stride."""
_INVISIBLE_SEAM = 1 / 255
"""Largest invisible difference at a seam: below it, the next smaller halo is tried."""
_OTHER_INPUT_REASON = "another input of the model, such as a state, covers the whole picture"
_FEATHER_DIVISOR = 2
"""Tiles are blended over half of the halo on each side of a cut; the other half, at the tile's edge, is discarded."""
_VISIBLE_MEAN_SEAM = 0.02
"""Largest mean difference at a seam, relative to white: above it, pictures are resized, not tiled."""


def with_tiles(match: TaskMatch, graph: ir.Model, original: NativeRunner, progress: ProgressReporter) -> TaskMatch:
    """Return the match of a picture model with a tile plan for pictures of other sizes, if tiles are possible.

    Raises:
        WebbuildError: `reference-run-failed`.
    """
    kind = kind_of(match.task)
    outputs = kind.tiled_outputs(match.task)
    images = [spec for spec in match.inputs if isinstance(spec, ImageInput)]
    if not outputs or len(images) != 1 or images[0].shape[0] != 1:
        return match
    (image,) = images
    whole_picture_reason = kind.reads_whole_picture(match.task)
    if not all(isinstance(spec, ImageInput | MaskInput | NumberInput | OptionInput) for spec in match.inputs):
        whole_picture_reason = _OTHER_INPUT_REASON
    if whole_picture_reason:
        return msgspec.structs.replace(
            match, assumptions=(*match.assumptions, _no_tiles_text(image, whole_picture_reason))
        )
    with progress.step("measure the halo and seams of tiles"):
        mask = find_mask(match.inputs)
        field = _union_field([_output_field(graph.graph, _picture_axes(image, mask), each) for each in outputs])
        measure = SeamMeasure(image, mask, outputs, original, number_feeds(match.inputs))
        obstacle = _tile_difference(image, field, measure)
        if not obstacle:
            plan, assumption = _exact_tile_plan(image, field)
        elif kind.blends_tiles:
            plan, assumption = _blended_tile_plan(image, field, obstacle, measure)
        else:
            plan, assumption = None, _no_tiles_text(image, obstacle)
    task = match.task if plan is None else kind.with_tiles(match.task, plan)
    return msgspec.structs.replace(match, task=task, assumptions=(*match.assumptions, assumption))


def _picture_axes(image: ImageInput, mask: MaskInput | MaskChannel | None) -> dict[str, tuple[int, int]]:
    """Return by input name the row and column axes of the picture, and of the mask if it is an input.

    A mask is [1, 1, h, w], [1, h, w, 1], [1, h, w] or [h, w].
    """
    axes = {image.name: _AXES[image.layout]}
    if isinstance(mask, MaskInput):
        rows = 1 if len(mask.shape) == 4 and mask.shape[-1] == 1 else len(mask.shape) - 2
        axes[mask.name] = rows, rows + 1
    return axes


def _output_field(
    graph: ir.Graph, pictures: Mapping[str, tuple[int, int]], output: TiledOutput
) -> ReceptiveField | GlobalContext:
    """Return the receptive field of an output that is `scale` times as large as the picture."""
    value = next(each for each in graph.outputs if each.name == output.name)
    rows = output.rows_axis(len(value.shape or ()))
    field = receptive_field(graph, pictures, output.name, (rows, rows + 1))
    if isinstance(field, GlobalContext):
        return field
    if field.scale == output.scale:
        return msgspec.structs.replace(field, halo=max(field.halo, output.reach))
    return GlobalContext(f"the output '{output.name}'", f"is {field.scale} times as large as the picture")


def _union_field(fields: Sequence[ReceptiveField | GlobalContext]) -> ReceptiveField | GlobalContext:
    """Return the union of receptive fields, or the first node that reads the whole picture."""
    local = [each for each in fields if isinstance(each, ReceptiveField)]
    if len(local) < len(fields):
        return next(each for each in fields if isinstance(each, GlobalContext))
    return ReceptiveField(
        halo=max(each.halo for each in local),
        multiple=math.lcm(*(each.multiple for each in local)),
        scale=local[0].scale,
        rounded=next((each.rounded for each in local if each.rounded), ""),
    )


def _tile_difference(image: ImageInput, field: ReceptiveField | GlobalContext, measure: SeamMeasure) -> str:
    """Return why a tiled run differs from an untiled run, empty if it does not."""
    if isinstance(field, GlobalContext):
        return str(field)
    side = min(input_size(image))
    if field.halo > _MAX_HALO_FRACTION * side or side - 2 * field.halo < 2 * field.multiple:
        return f"the receptive field is {field.halo} pixels in each direction, too large for {_tiles(image)}"
    if field.rounded:
        return f"{field.rounded} rounds differently at each position"
    difference = measure.overlap(field.halo, field.multiple).largest
    return f"two tiles of a photograph differ by {difference:.1e} of white at the same pixel" if difference else ""


def _exact_tile_plan(image: ImageInput, field: ReceptiveField | GlobalContext) -> tuple[TilePlan | None, str]:
    """Return the plan with exactly the result of an untiled run, and the sentence for the report."""
    assert isinstance(field, ReceptiveField)
    assumption = (
        f"the receptive field is {field.halo} pixels in each direction, and tiles of a photograph are bit-identical"
    )
    plan = TilePlan(halo=field.halo, multiple=field.multiple, exact=True)
    return plan, f"pictures of other sizes are run in {_tiles(image)}, exactly: {assumption}"


def _blended_tile_plan(
    image: ImageInput, field: ReceptiveField | GlobalContext, obstacle: str, measure: SeamMeasure
) -> tuple[TilePlan | None, str]:
    """Return the plan with the smallest halo without a visible seam, else the largest halo, and a sentence."""
    side = min(input_size(image))
    multiple = field.multiple if isinstance(field, ReceptiveField) else math.gcd(*input_size(image), _USUAL_MULTIPLE)
    best: tuple[int, Seam] | None = None
    for divisor in _HALO_DIVISORS:
        halo = math.ceil(side / divisor)
        if side - 2 * halo < multiple or (best is not None and not measure.has_time):
            break
        seam = measure.seam(halo, multiple, halo // _FEATHER_DIVISOR)
        if best is None or seam.largest <= _INVISIBLE_SEAM:
            best = halo, seam
        if seam.largest > _INVISIBLE_SEAM:
            break
    if best is None:
        return None, _no_tiles_text(image, f"{obstacle}, and tiles cannot advance by {multiple} pixels")
    halo, seam = best
    mean, largest = (f"{255 * each:.2g}" for each in (seam.mean, seam.largest))
    differ = f"where two meet they differ by {mean} of 255 levels on average, by {largest} at most"
    if seam.mean > _VISIBLE_MEAN_SEAM:
        return None, _no_tiles_text(image, f"{obstacle}; {differ}")
    feather = halo // _FEATHER_DIVISOR
    plan = TilePlan(halo=halo, multiple=multiple, exact=False, feather=feather, seam=round(seam.largest, 6))
    return (
        plan,
        f"pictures of other sizes are run in {_tiles(image)}, blended; tiles are not exact: {obstacle}; {differ}",
    )


def _tiles(image: ImageInput) -> str:
    height, width = input_size(image)
    return f"tiles of {width} x {height}"


def _no_tiles_text(image: ImageInput, why: str) -> str:
    height, width = input_size(image)
    return f"pictures are resized to {width} x {height}, there are no tiles: {why}"
