"""A picture encoder whose graph normalises pictures itself."""

from __future__ import annotations

import msgspec
import onnx_ir as ir

from webbuild.compile.graph_recipe import read_graph_recipe
from webbuild.compile.pixel_ranges import with_range
from webbuild.manifest.manifest import ImageInput
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.tasks.task_match import TaskMatch


def with_graph_normalization(match: TaskMatch, model: ir.Model) -> TaskMatch:
    """Return an encoder with the range that its graph normalises, padded with what becomes 0 there.

        [h, w, 3] of 0..255  ->  Sub mean  ->  Div deviation: pad with the mean

    Every other match is returned as it is.
    """
    (spec,) = match.inputs if len(match.inputs) == 1 else (None,)
    recipe = read_graph_recipe(model, spec) if isinstance(spec, ImageInput) else None
    if not isinstance(spec, ImageInput) or recipe is None or recipe.color != "rgb":
        return match
    fitted = spec.letterbox
    if fitted.mode == "letterbox":
        fitted = msgspec.structs.replace(fitted, pad=list(recipe.zero))
    image = msgspec.structs.replace(with_range(spec, recipe.values), letterbox=fitted)
    told = tuple(each.replace(describe_recipe(spec), describe_recipe(image)) for each in match.assumptions)
    return msgspec.structs.replace(match, inputs=(image,), assumptions=told)
