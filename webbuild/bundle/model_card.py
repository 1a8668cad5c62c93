"""The model card of a repository on the Hugging Face Hub, and the front page of its Space."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from webbuild import __version__
from webbuild.errors import DOCS, page_url
from webbuild.manifest.file_entry import file_hash
from webbuild.manifest.manifest import Manifest
from webbuild.passes.base import Rewrite
from webbuild.reporting.jinja import template_environment
from webbuild.reporting.markdown import escape_markdown
from webbuild.reporting.quantities import format_bytes
from webbuild.tasks.registry import kind_of

_PIPELINES = {
    "classify": "image-classification",
    "depth": "depth-estimation",
    "detect": "object-detection",
    "grounding": "zero-shot-object-detection",
    "image-segmentation": "image-segmentation",
    "matte": "image-segmentation",
    "obb": "object-detection",
    "pose": "keypoint-detection",
    "segment": "image-segmentation",
}
"""What the Hub calls the tasks."""
_LICENSES = {
    "agpl-3.0",
    "apache-2.0",
    "bsd-2-clause",
    "bsd-3-clause",
    "cc-by-4.0",
    "cc-by-nc-4.0",
    "cc-by-sa-4.0",
    "cc0-1.0",
    "gpl-2.0",
    "gpl-3.0",
    "lgpl-3.0",
    "mit",
}
"""Licences that the Hub knows by the names which models have in their metadata."""


class HubNames(Struct, frozen=True):
    """What the Hub calls things: the repository, the model it was made from, its licence; empty where not said."""

    repository: str = ""
    base_model: str = ""
    license: str = ""


class BackendResult(Struct, frozen=True):
    """What came of comparing the bundle on a backend.

    Attributes:
        backend: its proper name.
        adapter: what WebGPU ran on, empty for WebAssembly.
        browser: name and version.
        comparisons: how many outputs and predictions were compared.
        largest: the largest absolute difference, in the unit of its output.
        tolerance_used: the largest part of its tolerance that a difference took, 0 to 1.
    """

    backend: str
    adapter: str
    browser: str
    comparisons: int
    largest: float
    tolerance_used: float


class CardFile(Struct, frozen=True):
    """A file of the repository."""

    path: str
    size: str
    sha256: str


def model_card(
    folder: Path,
    manifest: Manifest,
    rewrites: Sequence[Rewrite],
    names: HubNames,
    results: Sequence[BackendResult],
    *,
    has_config: bool,
) -> str:
    """Return README.md of the model repository in `folder`, where its other files lie already.

    `has_config` says that transformers.js finds the configuration that its pipeline needs.
    """
    files = [
        CardFile(file.relative_to(folder).as_posix(), format_bytes(file.stat().st_size), file_hash(file))
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    ]
    counts = Counter(each.code for each in rewrites if each.applied)
    values = {"files": files, "results": results, "rewrites": sorted(counts.items()), "has_config": has_config}
    return _render("model_card.md.j2", manifest, names, values)


def space_page(manifest: Manifest, names: HubNames) -> str:
    """Return README.md of the Space, which tells the Hub to serve the bundle as it is, isolated."""
    return _render("space.md.j2", manifest, names, {})


def _render(template: str, manifest: Manifest, names: HubNames, values: dict[str, object]) -> str:
    environment = template_environment("webbuild.bundle", html=False, keep_trailing_newline=True)
    environment.filters["md"] = escape_markdown
    # A string of JSON is one of YAML too.
    environment.filters["yaml"] = lambda text: json.dumps(str(text))
    environment.filters["page_url"] = page_url
    return environment.get_template(template).render(
        manifest=manifest,
        names=names,
        license=names.license or hub_license(manifest.source.license),
        pipeline=_PIPELINES.get(kind_of(manifest.task).kind, ""),
        version=__version__,
        docs=DOCS,
        **values,
    )


def hub_license(stated: str) -> str:
    """Return the Hub's name of a licence such as `AGPL-3.0 License (https://ultralytics.com/license)`, else nothing."""
    first = stated.lower().partition(" ")[0]
    return first if first in _LICENSES else ""
