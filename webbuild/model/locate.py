"""The model that is meant by what was given: a file, a folder with an export in it, or a repository of the Hub."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.hub import HUB_PREFIX, download_from_hub

_VARIANT = re.compile(r"_(fp16|quantized|int8|uint8|q8|q4|q4f16|bnb4)$")
"""What the Hub's exporters put behind the name of a file in another precision."""
_MAX_NAMED = 8


class LocatedModel(Struct, frozen=True):
    """An ONNX file, and what a bundle of it is called: the folder's or repository's name where the file has none."""

    path: Path
    name: str


def locate_model(given: Path) -> LocatedModel:
    """Return the model at a path, in a folder or its folder `onnx`, or of `hf:owner/name[@revision][:file]`.

    Of several precisions of one model the float32 file is taken: `--precision` makes the others.

    Raises:
        WebbuildError: `model-not-found`, `several-models`, and those of `download_from_hub`.
    """
    if (reference := hub_reference(given)) is not None:
        folder, file, name = download_from_hub(reference)
        return LocatedModel(folder / file if file else _find_in_folder(folder, reference), name)
    if not given.is_dir():
        return LocatedModel(given, given.stem)
    path = _find_in_folder(given, str(given))
    named = _VARIANT.sub("", path.stem)
    return LocatedModel(path, given.resolve().name if named == "model" else named)


def hub_reference(given: PurePath) -> str | None:
    """Return `hf:owner/name` as it was written, None for a path. On Windows its slashes have become backslashes."""
    text = given.as_posix()
    return text if text.startswith(HUB_PREFIX) else None


def _find_in_folder(folder: Path, given: str) -> Path:
    found = sorted(file for pattern in ("*.onnx", "onnx/*.onnx") for file in folder.glob(pattern))
    if not found:
        bundle = (folder / "manifest.json").is_file()
        raise WebbuildError(
            "model-not-found",
            f"{given}: {'is a bundle, not a model' if bundle else 'no .onnx file in it or in its subfolder onnx'}",
            "webbuild verify compares a bundle" if bundle else "pass the path of the .onnx file",
            exit_code=USAGE,
        )
    models: dict[str, list[Path]] = {}
    for file in found:
        models.setdefault(_VARIANT.sub("", file.stem), []).append(file)
    if len(models) > 1 and "model" not in models:
        names = ", ".join(file.relative_to(folder).as_posix() for file in found[:_MAX_NAMED])
        more = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        joint = ":" if given.startswith(HUB_PREFIX) else "/"
        raise WebbuildError(
            "several-models",
            f"{given}: holds several models: {names}{more}",
            f"name one of them, for example {given.rstrip('/')}{joint}{found[0].relative_to(folder).as_posix()}",
            exit_code=USAGE,
        )
    files = models.get("model") or next(iter(models.values()))
    return min(files, key=lambda file: (bool(_VARIANT.search(file.stem)), "fp16" not in file.stem, file.name))
