"""What lies beside an exported model: the configuration of the network, and that of its pre-processing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

_LARGEST = 4_000_000
"""Bytes that are read; a configuration with the names of ImageNet's 21,841 classes is half of it."""


class Companions(Struct, frozen=True):
    """The JSON objects that transformers writes, empty where there are none."""

    config: Mapping[str, Any] = {}
    preprocessor: Mapping[str, Any] = {}


def read_companions(model: Path) -> Companions:
    """Read `config.json` and `preprocessor_config.json` beside a model, or above a folder `onnx` that it lies in.

    What is no JSON object is none of transformers', and as good as absent.
    """
    folders = [model.parent, model.parent.parent] if model.parent.name == "onnx" else [model.parent]
    config, preprocessor = (
        next((found for folder in folders if (found := _object(folder / name))), {})
        for name in ("config.json", "preprocessor_config.json")
    )
    return Companions(config, preprocessor)


def _object(path: Path) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        value: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
