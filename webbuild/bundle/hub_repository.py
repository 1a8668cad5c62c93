"""Folders for the Hugging Face Hub: a model repository that transformers.js loads, and a static Space."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePath

from webbuild.bundle.model_card import BackendResult, HubNames, PublishedModel, model_card, space_page
from webbuild.bundle.staging import staged_folder
from webbuild.manifest.manifest import Manifest
from webbuild.model.choose_files import without_precision
from webbuild.model.hub_files import copy_configurations
from webbuild.reporting.write import write_text

_MODEL = "model"
"""Name of a single model's file in the folder `onnx` for transformers.js; several models have other names."""
_ENCODERS = ("vision_model", "text_model")
"""Names of the two encoders of models like CLIP for transformers.js."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def published_names(manifest: Manifest) -> list[str]:
    """Return the name of each model's file: `model` for a single model, else the stages' names.

    An image encoder and its text encoder get the names that transformers.js expects.
    """
    if manifest.text_encoder:
        return [*_ENCODERS]
    stages = manifest.every_stage
    own = [_UNSAFE.sub("-", without_precision(PurePath(each.source.file).stem)).lstrip(".-") for each in stages]
    if len(stages) == 1:
        return [_MODEL]
    return own if all(own) and len(set(own)) == len(own) else [str(each.stage_name) for each in stages]


def write_hub_folders(
    bundle: Path,
    manifest: Manifest,
    models: Sequence[PublishedModel],
    names: HubNames,
    results: Sequence[BackendResult],
    out: Path,
    tokenizer: Path | None = None,
) -> None:
    """Write `out`/model and `out`/space.

    Args:
        bundle: the folder that becomes the Space.
        manifest: the bundle's manifest.
        models: the patched models of its stages and of its text encoder.
        names: names on the Hub.
        results: results of comparing the bundle in a browser; empty if it was not compared.
        out: a folder that does not exist, or may be replaced.
        tokenizer: the bundle's tokenizer, for a text encoder without one next to it.

    Raises:
        WebbuildError: `cannot-write`.
    """
    with staged_folder(out) as folder:
        model, space = folder / "model", folder / "space"
        (model / "onnx").mkdir(parents=True)
        together = bool(manifest.text_encoder) or len({each.source.parent for each in models}) == 1
        for each in reversed(models):  # if several have the same file, the first model's is kept
            copy_configurations(each.source, model if together else model / each.name)
        if tokenizer is not None and not (model / tokenizer.name).is_file():
            shutil.copyfile(tokenizer, model / tokenizer.name)
        for each in models:
            _write_graph(each, model)
        shutil.copytree(bundle, space)
        write_text(space / "README.md", space_page(manifest, names))
        write_text(model / "README.md", model_card(model, manifest, models, names, results))


def _write_graph(model: PublishedModel, folder: Path) -> None:
    """Write a patched graph where transformers.js looks for it, and list its external weights in the configuration."""
    import onnx_ir as ir

    file = f"{model.name}.onnx"
    if not model.patched.data:
        shutil.copyfile(model.patched.file, folder / "onnx" / file)
        return
    ir.save(ir.load(model.patched.file), folder / "onnx" / file, external_data=f"{file}_data")
    config = folder / "config.json"
    settings = json.loads(config.read_text("utf-8")) if config.is_file() else {}
    loading = settings.get("transformers.js_config", {})
    known = loading.get("use_external_data_format")  # true or a number applies to all files
    external = {**(known if isinstance(known, dict) else {}), file: True}
    loading = {**loading, "use_external_data_format": external}
    write_text(config, json.dumps({**settings, "transformers.js_config": loading}, indent=2) + "\n")
