"""The model of the argument MODEL: a file, a folder with an export, or a repository of the Hub."""

from __future__ import annotations

from pathlib import Path, PurePath

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.choose_files import HUB_PREFIX, choose_files, without_precision
from webbuild.model.hub import download_from_hub


class LocatedModel(Struct, frozen=True):
    """An ONNX file, and the name of its bundle: the file's, or the folder's or repository's for `model.onnx`.

    `file` is the path in the folder or repository.
    """

    path: Path
    name: str
    file: str = ""


def locate_model(path: Path) -> LocatedModel:
    """Return the model at a path, in a folder or its folder `onnx`, or of `hf:owner/name[@revision][:file]`.

    Raises:
        WebbuildError: `model-not-found`, `several-models`, and what `download_from_hub` raises.
    """
    (located,) = _locate(path, pairs=False)
    return located


def locate_model_or_pair(path: Path) -> list[LocatedModel]:
    """Return the model as `locate_model` does, or an encoder and its decoder if a folder or repository has only these.

    Raises:
        WebbuildError: what `locate_model` raises.
    """
    return _locate(path, pairs=True)


def _locate(path: Path, *, pairs: bool) -> list[LocatedModel]:
    if (reference := hub_reference(path)) is not None:
        folder, files, name = download_from_hub(reference, pairs=pairs)
        return [LocatedModel(folder / file, name, file) for file in files]
    if not path.is_dir():
        return [LocatedModel(path, path.stem)]
    files = choose_files(str(path), _onnx_files(path), pairs=pairs)
    names = [without_precision(Path(file).stem) for file in files]
    return [
        LocatedModel(path / file, path.resolve().name if name == "model" else name, file)
        for file, name in zip(files, names, strict=True)
    ]


def hub_reference(path: PurePath) -> str | None:
    """Return `hf:owner/name` with slashes, which a Windows path turns into backslashes; None for a path."""
    text = path.as_posix()
    return text if text.startswith(HUB_PREFIX) else None


def _onnx_files(folder: Path) -> list[str]:
    files = sorted(file for pattern in ("*.onnx", "onnx/*.onnx") for file in folder.glob(pattern))
    if not files:
        bundle = (folder / "manifest.json").is_file()
        raise WebbuildError(
            "model-not-found",
            f"{folder}: {'is a bundle, not a model' if bundle else 'no .onnx file in it or in its subfolder onnx'}",
            "webbuild verify compares a bundle" if bundle else "pass the path of the .onnx file",
            exit_code=USAGE,
        )
    return [file.relative_to(folder).as_posix() for file in files]
