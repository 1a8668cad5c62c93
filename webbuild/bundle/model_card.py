"""The model card of a repository on the Hugging Face Hub, and the front page of its Space."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from webbuild import __version__
from webbuild.bundle.export_onnx import OnnxFile
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
    "keypoints": "keypoint-detection",
    "mask-generation": "mask-generation",
    "matte": "image-segmentation",
    "obb": "object-detection",
    "pose": "keypoint-detection",
    "segment": "image-segmentation",
}
"""Task -> pipeline tag of the Hub."""
_MASK_FILES = {"vision_encoder", "prompt_encoder_mask_decoder"}
_MASK_MODELS = {"sam": "SamModel", "sam2": "Sam2Model"}
"""`model_type` -> the class of transformers.js for models of these two files; it has no pipeline for them."""
_WORD_MODELS = {
    "clip": ("CLIPVisionModelWithProjection", "CLIPTextModelWithProjection"),
    "siglip": ("SiglipVisionModel", "SiglipTextModel"),
}
"""`model_type` -> the classes of transformers.js for an image encoder and its text encoder."""
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
"""Licences whose usual names in metadata are also the Hub's names."""


class HubNames(Struct, frozen=True):
    """Names on the Hub: the repository, the base model, the licence; empty if unknown."""

    repository: str = ""
    base_model: str = ""
    license: str = ""


class BackendResult(Struct, frozen=True):
    """The result of comparing the bundle on a backend.

    Attributes:
        backend: its proper name.
        adapter: the WebGPU adapter, empty for WebAssembly.
        browser: name and version.
        comparisons: number of compared outputs and predictions.
        largest: the largest absolute difference, in the unit of its output.
        tolerance_used: the largest fraction of a tolerance that a difference used, 0 to 1.
    """

    backend: str
    adapter: str
    browser: str
    comparisons: int
    largest: float
    tolerance_used: float


class PublishedModel(Struct, frozen=True):
    """A patched model of the repository.

    Attributes:
        name: the name of its file in the folder `onnx`, without the suffix.
        source: the exported .onnx file; its configuration is next to it or in the parent folder.
        patched: the patched model, one file or two.
        rewrites: the applied rewrites.
        interface: differences of its inputs and outputs from the original's.
    """

    name: str
    source: Path
    patched: OnnxFile
    rewrites: Sequence[Rewrite]
    interface: Sequence[str]


class CardFile(Struct, frozen=True):
    """A file of the repository."""

    path: str
    size: str
    sha256: str


def model_card(
    folder: Path,
    manifest: Manifest,
    models: Sequence[PublishedModel],
    names: HubNames,
    results: Sequence[BackendResult],
) -> str:
    """Return README.md of the model repository in `folder`, which already has the other files."""
    files = [
        CardFile(file.relative_to(folder).as_posix(), format_bytes(file.stat().st_size), file_hash(file))
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    ]
    counts = Counter(each.code for model in models for each in model.rewrites if each.applied)
    config = folder / "config.json"
    return _render(
        "model_card.md.j2",
        manifest,
        names,
        {
            "files": files,
            "results": results,
            "models": models,
            "rewrites": sorted(counts.items()),
            "has_config": config.is_file(),
            "masks": _mask_model(config, models),
            "words": _WORD_MODELS.get(_model_type(config)) if manifest.text_encoder else None,
        },
    )


def _mask_model(config: Path, models: Sequence[PublishedModel]) -> str:
    """Return the transformers.js class of a mask encoder and its decoder; empty for other models."""
    if {each.name for each in models} != _MASK_FILES:
        return ""
    return _MASK_MODELS.get(_model_type(config), "")


def _model_type(config: Path) -> str:
    """Return the `model_type` in a configuration of transformers; empty if there is none."""
    settings = json.loads(config.read_text("utf-8")) if config.is_file() else {}
    return str(settings.get("model_type")) if isinstance(settings, dict) else ""


def space_page(manifest: Manifest, names: HubNames) -> str:
    """Return README.md of the Space, with the Hub's settings for a static, cross-origin isolated page."""
    return _render("space.md.j2", manifest, names, {})


def _render(template: str, manifest: Manifest, names: HubNames, values: dict[str, object]) -> str:
    environment = template_environment("webbuild.bundle", html=False, keep_trailing_newline=True)
    environment.filters["md"] = escape_markdown
    # A JSON string is a valid YAML string.
    environment.filters["yaml"] = lambda text: json.dumps(str(text))
    environment.filters["page_url"] = page_url
    sources = [each.source for each in manifest.every_model]
    licenses = dict.fromkeys(each.license for each in sources if each.license)
    stated = ", ".join(licenses)
    return environment.get_template(template).render(
        manifest=manifest,
        names=names,
        sources=sources,
        stated=stated,
        license=names.license or (hub_license(stated) if len(licenses) == 1 else ""),
        pipeline=_PIPELINES.get(kind_of(manifest.final_task).kind, ""),
        version=__version__,
        docs=DOCS,
        **values,
    )


def hub_license(stated: str) -> str:
    """Return the Hub's name of a licence such as `AGPL-3.0 License (https://ultralytics.com/license)`, else ""."""
    first = stated.lower().partition(" ")[0]
    return first if first in _LICENSES else ""
