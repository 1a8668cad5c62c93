"""The models for `webbuild publish`: the exports of a bundle's stages and text encoder, matched by hash."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from webbuild.compile.split_encoders import may_hold_both_encoders, split_encoders
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.file_entry import file_hash
from webbuild.manifest.manifest import Manifest
from webbuild.model.load import load_onnx
from webbuild.model.locate import locate_model, locate_model_or_pair


def models_of_bundle(paths: Sequence[Path], bundle: Path, manifest: Manifest, folder: Path) -> list[Path]:
    """Return the file of each stage of a bundle, in order, and of its text encoder.

    Args:
        paths: a file or folder for each model in any order, or a folder or repository with an encoder and its decoder,
            or with an image encoder and its text encoder, also as one graph.
        bundle: the bundle's folder, for messages.
        manifest: the bundle's manifest.
        folder: the folder for encoders that are split from one graph.

    Raises:
        WebbuildError: `another-model`; what `locate_model` and `split_encoders` raise.
    """
    stages = manifest.every_model
    together = len(paths) == 1 and len(stages) > 1
    located = locate_model_or_pair(paths[0]) if together else [locate_model(each) for each in paths]
    files = [each.path for each in located]
    if len(stages) == len(files) == 1 and not files[0].is_file():
        return files  # loading raises the error
    if manifest.text_encoder and len(files) == 1 and files[0].is_file() and may_hold_both_encoders(files[0]):
        files = [*(split_encoders(files[0], folder) or files)]
    by_hash = {file_hash(file): file for file in files if file.is_file()}
    hashes = {stage.source.sha256 for stage in stages}
    other = next((file for sha256, file in by_hash.items() if sha256 not in hashes), None)
    if other is not None:
        raise _another(f"{bundle}: not packed from {other}", "give the export that the bundle was packed from")
    lacking = [stage for stage in stages if stage.source.sha256 not in by_hash]
    if lacking:
        missing = " and ".join(f"{each.source.file} of stage {each.stage_name}" for each in lacking)
        raise _another(
            f"{bundle}: {missing} is not among the given models",
            "give the exports of all stages before the bundle: webbuild publish A.onnx B.onnx BUNDLE --hf OUT",
        )
    return [by_hash[stage.source.sha256] for stage in stages]


def packed_dims(file: Path, stage: Manifest) -> tuple[str, ...]:
    """Return the sizes of a model's free dimensions in the first variant of its stage, as `--dim` takes them.

    Raises:
        WebbuildError: what `load_onnx` raises.
    """
    shapes = {spec.name: list(spec.shape) for spec in stage.inputs}
    dims: dict[str, int] = {}
    for spec in load_onnx(file).signature.inputs:
        shape = shapes.get(spec.name, [])
        if len(shape) != len(spec.shape):
            continue
        pairs = list(zip(spec.shape, shape, strict=True))
        if all(free == size for free, size in pairs if isinstance(free, int)):
            free_axes = ((axis, free, size) for axis, (free, size) in enumerate(pairs) if not isinstance(free, int))
            dims |= {free or f"{spec.name}:{axis}": size for axis, free, size in free_axes if size > 0}
    return tuple(f"{name}={size}" for name, size in dims.items())


def _another(what: str, fix: str) -> WebbuildError:
    return WebbuildError("another-model", what, f"{fix}; or pack it again", exit_code=USAGE)
