"""Test prompts for a picture, of every kind that a mask decoder takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webbuild.manifest.manifest import Input, MaskGenerationTask, PointPromptInput
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import BACKGROUND, FOREGROUND, PointPrompt, takes_prompt


def prompts_of_every_kind(
    task: MaskGenerationTask, graphs: Sequence[Sequence[Input]], placement: ImagePlacement
) -> Mapping[str, PointPrompt]:
    """Return test prompts by their names in a report: the prompts that at least one of the graphs takes.

    `graphs` has the inputs of each graph. The first prompt is the least ambiguous: its logits may be refined.
    """
    roles = {spec.role for inputs in graphs for spec in inputs if isinstance(spec, PointPromptInput)}
    width, height = placement.source_width, placement.source_height
    first, second = (0.45 * width, 0.5 * height), (0.58 * width, 0.6 * height)
    background = (0.1 * width, 0.12 * height)
    box = (0.15 * width, 0.2 * height, 0.7 * width, 0.85 * height)
    prompts = {
        "clicks on the object": PointPrompt([first, second], [FOREGROUND] * 2),
        "a click": PointPrompt([first], [FOREGROUND]),
    }
    if "labels" in roles:
        labels = [FOREGROUND, BACKGROUND, FOREGROUND]
        prompts = {
            "clicks on the object and the background": PointPrompt([first, background, second], labels),
            **prompts,
        }
    if task.box != "none":
        prompts |= {"a box": PointPrompt(box=box), "a click in a box": PointPrompt([first], [FOREGROUND], box)}
    if task.multi:
        prompts["a click, all masks"] = PointPrompt([first], [FOREGROUND], multimask=True)
    return {
        name: prompt for name, prompt in prompts.items() if any(takes_prompt(inputs, task, prompt) for inputs in graphs)
    }
