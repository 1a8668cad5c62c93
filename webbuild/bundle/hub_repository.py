"""Folders for the Hugging Face Hub: a model repository that transformers.js loads, and a static Space."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from webbuild.bundle.export_onnx import OnnxFile
from webbuild.bundle.model_card import BackendResult, HubNames, model_card, space_page
from webbuild.bundle.staging import staged_folder
from webbuild.manifest.manifest import Manifest
from webbuild.passes.base import Rewrite
from webbuild.reporting.write import write_text

MODEL = "model.onnx"
"""What transformers.js loads, from the folder `onnx`."""
_CONFIGURATIONS = (
    *("config.json", "generation_config.json", "preprocessor_config.json", "processor_config.json"),
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.json", "vocab.txt", "merges.txt", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model"),
)
"""Files of transformers beside a model, by name: another file there may be private, and is not published."""


def write_hub_folders(
    bundle: Path,
    manifest: Manifest,
    source: Path,
    patched: OnnxFile,
    rewrites: Sequence[Rewrite],
    names: HubNames,
    results: Sequence[BackendResult],
    out: Path,
) -> None:
    """Write `out`/model and `out`/space.

    Args:
        bundle: the folder that becomes the Space.
        manifest: the bundle's.
        source: the .onnx file that the model was exported to; its configuration lies beside it or above.
        patched: the patched model, one file or two.
        rewrites: what was done to it.
        names: what the Hub calls things.
        results: what came of comparing the bundle in a browser, none where it was not compared.
        out: it must not be there, or be replaceable.

    Raises:
        WebbuildError: `cannot-write`.
    """
    with staged_folder(out) as folder:
        model, space = folder / "model", folder / "space"
        (model / "onnx").mkdir(parents=True)
        configurations = _copy_configurations(source, model)
        _write_graph(patched, model)
        shutil.copytree(bundle, space)
        write_text(space / "README.md", space_page(manifest, names))
        card = model_card(model, manifest, rewrites, names, results, has_config="config.json" in configurations)
        write_text(model / "README.md", card)


def _copy_configurations(source: Path, folder: Path) -> set[str]:
    """Copy the configuration files beside a model, and those above a folder `onnx` that it lies in."""
    folders = [source.parent.parent, source.parent] if source.parent.name == "onnx" else [source.parent]
    found = {
        file.name: file for each in folders for file in (each / name for name in _CONFIGURATIONS) if file.is_file()
    }
    for name, file in found.items():
        shutil.copyfile(file, folder / name)
    return set(found)


def _write_graph(patched: OnnxFile, folder: Path) -> None:
    """Put the patched graph where transformers.js looks for it; weights in a file of their own are named for it."""
    import onnx_ir as ir

    target = folder / "onnx" / MODEL
    if not patched.data:
        shutil.copyfile(patched.file, target)
        return
    ir.save(ir.load(patched.file), target, external_data=f"{MODEL}_data")
    config = folder / "config.json"
    settings = json.loads(config.read_text("utf-8")) if config.is_file() else {}
    loading = {**settings.get("transformers.js_config", {}), "use_external_data_format": {MODEL: True}}
    write_text(config, json.dumps({**settings, "transformers.js_config": loading}, indent=2) + "\n")
