"""Encoders and crop stages with normalization in the graph."""

from __future__ import annotations

import msgspec
import onnx_ir as ir

from webbuild.compile.graph_recipe import describe_graph_recipe, read_graph_recipe
from webbuild.compile.pixel_ranges import with_range
from webbuild.manifest.manifest import CropInput, ImageInput
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.tasks.task_match import TaskMatch


def with_graph_normalization(match: TaskMatch, model: ir.Model) -> TaskMatch:
    """Return an encoder's match with the range that its graph normalizes, and padding that becomes 0.

        [h, w, 3] in 0..255  ->  Sub mean  ->  Div std: pad with the mean

    Every other match is returned unchanged.
    """
    (spec,) = match.inputs if len(match.inputs) == 1 else (None,)
    recipe = read_graph_recipe(model, spec) if isinstance(spec, ImageInput) else None
    if not isinstance(spec, ImageInput) or recipe is None or recipe.color != "rgb":
        return match
    fitted = spec.letterbox
    if fitted.mode == "letterbox":
        fitted = msgspec.structs.replace(fitted, pad=list(recipe.zero))
    image = msgspec.structs.replace(with_range(spec, recipe.values), letterbox=fitted)
    assumptions = tuple(each.replace(describe_recipe(spec), describe_recipe(image)) for each in match.assumptions)
    return msgspec.structs.replace(match, inputs=(image,), assumptions=assumptions)


def with_crop_normalization(match: TaskMatch, model: ir.Model) -> TaskMatch:
    """Return a crop stage's match with the range that its graph normalizes; every other match unchanged.

    [crops, 3, h, w] in 0..255  ->  Sub 127.5  ->  Mul 1/128: crops go in as 0..255
    """
    (spec,) = match.inputs if len(match.inputs) == 1 else (None,)
    recipe = read_graph_recipe(model, spec) if isinstance(spec, CropInput) else None
    if not isinstance(spec, CropInput) or recipe is None:
        return match
    crop = msgspec.structs.replace(with_range(spec, recipe.values), color=recipe.color or spec.color)
    assumption = f"crops go in as {recipe.values.name}, {crop.color.upper()} ({describe_graph_recipe(recipe)})"
    assumptions = (each for each in match.assumptions if each != match.guessed_recipe)
    return msgspec.structs.replace(match, inputs=(crop,), assumptions=(*assumptions, assumption))
