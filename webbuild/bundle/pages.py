"""Text files of a bundle, rendered from templates: the loader, its types, the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from webbuild import templates
from webbuild.manifest import (
    ClassifyTask,
    DepthTask,
    FocusInput,
    Manifest,
    OptionInput,
    PanopticTask,
    PhrasesTask,
    PoseTask,
    RowTask,
    StackInput,
)

if TYPE_CHECKING:
    from jinja2 import Environment


class Found(NamedTuple):
    """What the objects of a result are called: their list in it, and the type of one."""

    list: str
    type: str


FOUND = {
    "detect": Found("detections", "Detection"),
    "pose": Found("poses", "Pose"),
    "segment": Found("segments", "Segment"),
    "obb": Found("objects", "OrientedObject"),
    "phrases": Found("detections", "PhraseDetection"),
    "classify": Found("classes", "ClassScore"),
    "panoptic": Found("regions", "Region"),
}


def render_loader(top: str = "./") -> str:
    """Return `<name>.js`. `top` is the address of the folder in which `runtime/` lies."""
    return environment(html=False).get_template("loader.js.j2").render(top=top)


def render_package_entry(paths: Sequence[str]) -> str:
    """Return `npm.js`, the loader as bundlers want it: every file by an address that they can see."""
    return environment(html=False).get_template("npm.js.j2").render(paths=paths)


def render_types(manifest: Manifest) -> str:
    """Return `<name>.d.ts`: the runtime's types, narrowed to this model's classes and options."""
    task = manifest.task
    kind = str(task.__struct_config__.tag)
    return (
        environment(html=False)
        .get_template("loader.d.ts.j2")
        .render(
            task={"kind": kind},
            found=None if isinstance(task, PhrasesTask) else FOUND.get(kind),
            result=f"{kind.capitalize()}Result",
            labels=_union(task.classes) if isinstance(task, RowTask | ClassifyTask | PanopticTask) else "",
            modes=_modes(task) if isinstance(task, PanopticTask) else "",
            keypoints=_union([k.name for k in task.keypoints]) if isinstance(task, PoseTask) else "",
            options=[spec for spec in manifest.inputs if isinstance(spec, OptionInput)],
            stack=any(isinstance(spec, StackInput) for spec in manifest.inputs),
            asked=task if isinstance(task, PhrasesTask) else None,
            fades=isinstance(task, DepthTask) and task.confidence is not None,
            focus=next((spec for spec in manifest.inputs if isinstance(spec, FocusInput)), None),
        )
    )


def render_page(manifest: Manifest, integrity: Mapping[str, str], *, top: str = "./", offline: str = "") -> str:
    """Return `index.html`.

    Args:
        manifest: of the bundle.
        integrity: of the files that the page loads, by their addresses.
        top: the address of the folder in which `page/` lies.
        offline: the address of the service worker, if that does not lie beside the page.
    """
    entry = f"./{manifest.name}.js"
    template = environment(html=True).get_template("index.html.j2")
    return template.render(manifest=manifest, entry=entry, found=FOUND, integrity=integrity, top=top, offline=offline)


def _modes(task: PanopticTask) -> str:
    return _union(["semantic"] if task.scores is None else ["panoptic", "instance", "semantic"])


def _union(names: list[str]) -> str:
    """Return a TypeScript union of string literals; every character outside plain ASCII letters is escaped."""
    return " | ".join(dict.fromkeys(_literal(name) for name in names)) or "never"


def _literal(text: str) -> str:
    escaped = json.dumps(text)  # ASCII only; < > / follow, so that no `</script>` or comment end can appear
    for character in "<>/*":
        escaped = escaped.replace(character, f"\\u{ord(character):04x}")
    return escaped


@cache
def environment(*, html: bool) -> Environment:
    """Return the templates of this folder, see `templates`."""
    return templates.environment("webbuild.bundle", html=html, keep_trailing_newline=True)
