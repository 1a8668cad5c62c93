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

MODEL = "model"
"""The file that transformers.js loads, from the folder `onnx`; of several models it loads files of other names."""
ENCODERS = ("vision_model", "text_model")
"""The files that transformers.js loads of CLIP and its like."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def published_names(manifest: Manifest) -> list[str]:
    """Return the name of each model's file: `model` of one, else their own, which transformers.js knows them by.

    An image encoder and its text encoder have the names that transformers.js looks for, whatever they were called.
    """
    if manifest.text_encoder:
        return [*ENCODERS]
    stages = manifest.every_stage
    own = [_UNSAFE.sub("-", without_precision(PurePath(each.source.file).stem)).lstrip(".-") for each in stages]
    if len(stages) == 1:
        return [MODEL]
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
        manifest: the bundle's.
        models: that of each of its stages, and that of its text encoder.
        names: what the Hub calls things.
        results: what came of comparing the bundle in a browser, none where it was not compared.
        out: it must not be there, or be replaceable.
        tokenizer: of the bundle, for a text encoder that has none beside it.

    Raises:
        WebbuildError: `cannot-write`.
    """
    with staged_folder(out) as folder:
        model, space = folder / "model", folder / "space"
        (model / "onnx").mkdir(parents=True)
        together = bool(manifest.text_encoder) or len({each.source.parent for each in models}) == 1
        for each in reversed(models):  # of a file that several have, the first model's stays
            copy_configurations(each.source, model if together else model / each.name)
        if tokenizer is not None and not (model / tokenizer.name).is_file():
            shutil.copyfile(tokenizer, model / tokenizer.name)
        for each in models:
            _write_graph(each, model)
        shutil.copytree(bundle, space)
        write_text(space / "README.md", space_page(manifest, names))
        write_text(model / "README.md", model_card(model, manifest, models, names, results))


def _write_graph(model: PublishedModel, folder: Path) -> None:
    """Put a patched graph where transformers.js looks for it; weights in a file of their own are named for it."""
    import onnx_ir as ir

    file = f"{model.name}.onnx"
    if not model.patched.data:
        shutil.copyfile(model.patched.file, folder / "onnx" / file)
        return
    ir.save(ir.load(model.patched.file), folder / "onnx" / file, external_data=f"{file}_data")
    config = folder / "config.json"
    settings = json.loads(config.read_text("utf-8")) if config.is_file() else {}
    loading = settings.get("transformers.js_config", {})
    known = loading.get("use_external_data_format")  # true and a number are of all files
    external = {**(known if isinstance(known, dict) else {}), file: True}
    loading = {**loading, "use_external_data_format": external}
    write_text(config, json.dumps({**settings, "transformers.js_config": loading}, indent=2) + "\n")
