"""Prompts of every kind that a mask decoder takes, to be asked about one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webbuild.manifest.manifest import Input, MaskGenerationTask, PointPromptInput
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import BACKGROUND, FOREGROUND, PointPrompt, takes_prompt


def prompts_of_every_kind(
    task: MaskGenerationTask, graphs: Sequence[Sequence[Input]], placement: ImagePlacement
) -> Mapping[str, PointPrompt]:
    """Return prompts by what a report calls them: those that one of the graphs takes, given by their inputs.

    The first is the least ambiguous: its logits may be refined.
    """
    roles = {spec.role for inputs in graphs for spec in inputs if isinstance(spec, PointPromptInput)}
    width, height = placement.source_width, placement.source_height
    on, also, beside = (0.45 * width, 0.5 * height), (0.58 * width, 0.6 * height), (0.1 * width, 0.12 * height)
    box = (0.15 * width, 0.2 * height, 0.7 * width, 0.85 * height)
    wanted = {
        "clicks on the object": PointPrompt([on, also], [FOREGROUND] * 2),
        "a click": PointPrompt([on], [FOREGROUND]),
    }
    if "labels" in roles:
        labels = [FOREGROUND, BACKGROUND, FOREGROUND]
        wanted = {"clicks on and beside the object": PointPrompt([on, beside, also], labels), **wanted}
    if task.box != "none":
        wanted |= {"a box": PointPrompt(box=box), "a click in a box": PointPrompt([on], [FOREGROUND], box)}
    if task.multi:
        wanted["a click, all masks"] = PointPrompt([on], [FOREGROUND], multimask=True)
    return {
        name: prompt for name, prompt in wanted.items() if any(takes_prompt(inputs, task, prompt) for inputs in graphs)
    }
