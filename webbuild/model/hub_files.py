"""Files next to an exported model: config.json, preprocessor_config.json, the tokenizer, and Paddle's inference.yml."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

_MAX_BYTES = 4_000_000
"""Largest file that is read; a configuration with the names of ImageNet's 21,841 classes has half of it."""

_CONFIGURATIONS = (
    *("config.json", "generation_config.json", "preprocessor_config.json", "processor_config.json"),
    "open_clip_config.json",
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.json", "vocab.txt", "merges.txt", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model"),
)
"""Files of transformers and open_clip next to a model. Only these are published: others may be private."""


class HubFiles(Struct, frozen=True):
    """The JSON objects that transformers writes, and the lines of `vocab.txt`; empty if there are none.

    `postprocess` is the section `PostProcess` of Paddle's `inference.yml`, its numbers as strings. `characters` are the
    characters of a text recognizer in it.
    """

    config: Mapping[str, Any] = {}
    preprocessor: Mapping[str, Any] = {}
    tokenizer: Mapping[str, Any] = {}
    tokenizer_config: Mapping[str, Any] = {}
    vocabulary: tuple[str, ...] = ()
    characters: tuple[str, ...] = ()
    postprocess: Mapping[str, Any] = {}


def read_hub_files(model: Path) -> HubFiles:
    """Read the configurations and the tokenizer next to a model, or in the parent of its folder `onnx`.

    A file that is not a JSON object is ignored. Without a config.json, open_clip_config.json is read.
    """
    folders = _companion_folders(model)
    config, preprocessor, tokenizer, words = (
        next((configuration for folder in folders if (configuration := _read_json_object(folder / name))), {})
        for name in ("config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json")
    )
    config = config or next(filter(None, (_read_json_object(each / "open_clip_config.json") for each in folders)), {})
    vocabularies = (_read_lines(folder / "vocab.txt") for folder in folders)
    after = _read_postprocess(model.parent / "inference.yml")
    vocabulary = next(filter(None, vocabularies), ())
    return HubFiles(config, preprocessor, tokenizer, words, vocabulary, _characters(after), after)


def copy_configurations(source: Path, folder: Path) -> None:
    """Copy the configuration files next to a model, and those in the parent of its folder `onnx`."""
    nearest_last = reversed(_companion_folders(source))
    files = {
        file.name: file for each in nearest_last for file in (each / name for name in _CONFIGURATIONS) if file.is_file()
    }
    for name, file in files.items():
        folder.mkdir(exist_ok=True)
        shutil.copyfile(file, folder / name)


def find_hub_file(model: Path, name: str) -> Path | None:
    """Return a file next to a model, else in the parent of its folder `onnx`; None if neither has it."""
    return next((file for folder in _companion_folders(model) if (file := folder / name).is_file()), None)


def _companion_folders(model: Path) -> list[Path]:
    """Return the folders with the configuration files of a model, the nearest first."""
    return [model.parent, model.parent.parent] if model.parent.name == "onnx" else [model.parent]


def _characters(postprocess: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the `character_dict`; empty if it is not a list of strings."""
    match postprocess:
        case {"character_dict": [*entries]} if all(isinstance(each, str) for each in entries):
            return tuple(entries)
    return ()


def _read_postprocess(path: Path) -> Mapping[str, Any]:
    """Return `PostProcess` of Paddle's `inference.yml`; empty if it is missing or not a mapping.

    The YAML loader reads all scalars as strings, because `- 0` and `- y` are characters.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            return {}
        data = path.read_bytes()
    except OSError:
        return {}
    import yaml

    try:
        value: object = yaml.load(data, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    match value:
        case {"PostProcess": dict(found)}:
            return found
    return {}


def _read_lines(path: Path) -> tuple[str, ...]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            return ()
        return tuple(path.read_text("utf-8").replace("\r\n", "\n").rstrip("\n").split("\n"))
    except (OSError, ValueError):
        return ()


def _read_json_object(path: Path) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            return {}
        value: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
