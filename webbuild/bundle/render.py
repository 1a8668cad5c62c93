"""Text files of a bundle, rendered from templates: the loader, its types, the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from webbuild.manifest.manifest import (
    FocusInput,
    Manifest,
    NumberInput,
    OptionInput,
    Output,
    PointPromptInput,
    StackInput,
    StateInput,
)
from webbuild.manifest.stages import crop_input
from webbuild.manifest.variant_names import for_one_picture, picture_batch, picture_sizes
from webbuild.preprocess.mask import find_mask
from webbuild.preprocess.reference_image import find_reference_input
from webbuild.reporting import jinja
from webbuild.tasks.registry import kind_of
from webbuild.tasks.type_names import TypeNames

if TYPE_CHECKING:
    from jinja2 import Environment


def render_loader(top: str = "./") -> str:
    """Return `<name>.js`. `top` is the address of the folder with `runtime/`."""
    return bundle_templates(html=False).get_template("loader.js.j2").render(top=top)


def render_package_entry(paths: Sequence[str]) -> str:
    """Return `npm.js`, the loader for bundlers: it names every file with `new URL(...)`."""
    return bundle_templates(html=False).get_template("npm.js.j2").render(paths=paths)


def render_types(manifest: Manifest) -> str:
    """Return `<name>.d.ts`: the runtime's types, narrowed to this model's classes, options and outputs."""
    first, *_, last = [manifest, *manifest.every_stage]
    kind = kind_of(last.task)
    types, object_fields = _types_of_stages(manifest.every_stage)
    alone = not manifest.stages
    run_fields = [_run_fields(first, alone=alone), _run_fields(last, alone=alone, later=not alone)]
    return (
        bundle_templates(html=False)
        .get_template("loader.d.ts.j2")
        .render(
            types=types,
            object_fields=object_fields,
            result=types.result or "".join(word.capitalize() for word in kind.kind.split("-")) + "Result",
            labels=_string_union(types.labels) if types.labels or not types.crop_attribute else "string",
            keypoints=_string_union(types.keypoints or ()),
            outputs=[(_string_literal(each.name), each.dtype, _dims(each.shape)) for each in _outputs(last)],
            first=run_fields[0],
            last=run_fields[-1],
            required=any(each["required"] for each in run_fields),
            stack=any(isinstance(spec, StackInput) for spec in manifest.inputs),
            sizes=picture_sizes(manifest),
            batches=sorted({batch for each in manifest.every_variant if (batch := picture_batch(each)) > 1}),
            states=any(isinstance(spec, StateInput) for spec in manifest.inputs),
            staged=bool(manifest.stages),
        )
    )


_WHOLE = (StackInput, StateInput)
"""Inputs that slices of a picture cannot have."""


def _types_of_stages(stages: Sequence[Manifest]) -> tuple[TypeNames, list[str]]:
    """Return the type names of the last stage, and the fields other than keypoints that crop stages add to its objects.

    Keypoints are those of the last stage with keypoints, labels those of the detector.
    """
    *before, types = [kind_of(each.task).typescript(each.task) for each in stages]
    keypoints = next((each.keypoints for each in (types, *reversed(before)) if each.keypoints is not None), None)
    finder = next((each for each in reversed(before) if not each.crop_attribute), types)
    if not types.crop_attribute:
        return types, []
    labels = finder.labels or types.labels
    object_fields = [each.crop_attribute for each in (*before, types) if each.crop_attribute not in ("", "keypoints")]
    named = msgspec.structs.replace(types, item_type=types.item_type or "Detection", labels=labels, keypoints=keypoints)
    return named, object_fields


def _run_fields(stage: Manifest, *, alone: bool, later: bool = False) -> dict[str, Any]:
    """Return the options of a stage's run. Only a single stage has tiles; only the first stage has sizes and states."""
    inputs, types = stage.inputs, kind_of(stage.task).typescript(stage.task)
    mask, reference = find_mask(inputs), find_reference_input(inputs)
    merges = () if not alone else _slice_merges(stage)
    return {
        "types": types,
        "options": [spec for spec in inputs if isinstance(spec, OptionInput)],
        "numbers": [(_string_literal(each.name), each) for each in inputs if isinstance(each, NumberInput)],
        "mask": mask,
        "reference": reference,
        "focus": next((spec for spec in inputs if isinstance(spec, FocusInput)), None),
        "clicks": _takes_clicks(stage),
        "modes": _string_union(types.modes) if types.modes else "",
        "tiled": types.tiled and alone,
        "merges": _string_union(merges) if merges else "",
        "crops": later and crop_input(stage.inputs) is not None,
        "sizes": [] if later else picture_sizes(stage),
        "states": not later and any(isinstance(spec, StateInput) for spec in inputs),
        "required": bool(types.prompt or mask or reference),
    }


def render_page(manifest: Manifest, integrity: Mapping[str, str], *, top: str = "./", offline: str = "") -> str:
    """Return `index.html`.

    Args:
        manifest: the bundle's manifest.
        integrity: integrity of the files that the page loads, by address.
        top: the address of the folder with `page/`.
        offline: the address of the service worker, if it is not next to the page.
    """
    entry = f"./{manifest.name}.js"
    template = bundle_templates(html=True).get_template("index.html.j2")
    task = manifest.final_task
    kind = kind_of(task)
    types = kind.typescript(task)
    defaults = kind.default_thresholds(task).items()
    return template.render(
        manifest=manifest,
        entry=entry,
        kind=kind,
        earlier_tasks=[each.task for each in manifest.every_stage[:-1]],
        thresholds=[{"option": name, "minimum": 0, "maximum": 1, "default": default} for name, default in defaults],
        result=types.result_field,
        named_outputs=types.named_outputs,
        integrity=integrity,
        sizes=picture_sizes(manifest),
        stages=manifest.every_model,
        slices=not manifest.stages and bool(_slice_merges(manifest)),
        clicks=_takes_clicks(manifest.every_stage[-1]),
        top=top,
        offline=offline,
    )


def _slice_merges(stage: Manifest) -> Sequence[str]:
    """Return the ways to merge the results of slices of a picture; empty if pictures are only run whole."""
    whole = find_mask(stage.inputs) is not None or any(isinstance(spec, _WHOLE) for spec in stage.inputs)
    return () if whole else kind_of(stage.task).typescript(stage.task).merges


def _takes_clicks(stage: Manifest) -> bool:
    return any(isinstance(spec, PointPromptInput) for spec in stage.inputs)


def _outputs(manifest: Manifest) -> list[Output]:
    """Return the outputs, with -1 for sizes that differ between variants."""
    every = zip(*(for_one_picture(each).outputs for each in manifest.every_variant), strict=True)
    return [msgspec.structs.replace(first, shape=_common_shape((first, *others))) for first, *others in every]


def _common_shape(outputs: Sequence[Output]) -> list[int]:
    axes = zip(*(each.shape for each in outputs), strict=False)
    return [sizes[0] if len(set(sizes)) == 1 else -1 for sizes in axes]


def _dims(shape: Sequence[int]) -> str:
    """Return the TypeScript type of a shape: [1, 3, -1] -> `[1, 3, number]`. An empty shape may be of unknown rank."""
    return f"[{', '.join('number' if size < 0 else str(size) for size in shape)}]" if shape else "number[]"


def _string_union(names: Sequence[str]) -> str:
    """Return a TypeScript union of string literals; every character outside plain ASCII letters is escaped."""
    return " | ".join(dict.fromkeys(_string_literal(name) for name in names)) or "never"


def _string_literal(text: str) -> str:
    escaped = json.dumps(
        text
    )  # ASCII only; < > / are escaped next, so that no `</script>` or end of a comment can appear
    for character in "<>/*":
        escaped = escaped.replace(character, f"\\u{ord(character):04x}")
    return escaped


@cache
def bundle_templates(*, html: bool) -> Environment:
    """Return the Jinja environment with the templates of this folder."""
    return jinja.template_environment("webbuild.bundle", html=html, keep_trailing_newline=True)
