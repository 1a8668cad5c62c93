"""What a bundle is verified on: pictures, recorded tensors, or numbers from a fixed seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest import ImageInput, Manifest, OptionInput, TensorInput
from webbuild.tasks.geometry import Placement
from webbuild.tasks.picture import read_rgba, to_tensor
from webbuild.verify.opened import Bundle, golden

Feeds = dict[str, NDArray[Any]]


class Given(Struct, frozen=True):
    """One input. For a picture: its file, and where it lies in the model's input."""

    title: str
    feeds: Feeds
    file: Path | None = None
    placement: Placement | None = None


def gather(bundle: Bundle, files: Sequence[Path]) -> list[Given]:
    """Return the inputs: `files` if there are any, else the bundle's samples, else what can be made.

    Pictures (or, for a model of plain tensors, .npz files with an array for each input) are what files may be.

    Raises:
        WebbuildError: `unreadable-picture`, `unreadable-tensors`, `wrong-input`, `no-input`.
    """
    spec = image_input(bundle.manifest)
    if spec is not None:
        if files:
            return [_picture(bundle.manifest, spec, file, file.name) for file in files]
        samples = bundle.manifest.samples
        return [_picture(bundle.manifest, spec, bundle.directory / s.file, s.title) for s in samples]
    if files:
        return [Given(file.name, {**options(bundle.manifest), **_archive(bundle.manifest, file)}) for file in files]
    recorded = golden(bundle)
    if recorded is not None:
        return [Given("golden", {**options(bundle.manifest), **recorded[0]})]
    return [_made_up(bundle.manifest, seed) for seed in range(2)]


def image_input(manifest: Manifest) -> ImageInput | None:
    """Return the picture a model takes, None for one that takes none, or several, or other tensors too."""
    pictures = [spec for spec in manifest.inputs if isinstance(spec, ImageInput)]
    others = [spec for spec in manifest.inputs if isinstance(spec, TensorInput)]
    return pictures[0] if len(pictures) == 1 and not others else None


def options(manifest: Manifest) -> Feeds:
    """Return the default of every option input."""
    return {
        spec.name: np.full(spec.shape, spec.default, np.float32)
        for spec in manifest.inputs
        if isinstance(spec, OptionInput)
    }


def _picture(manifest: Manifest, spec: ImageInput, file: Path, title: str) -> Given:
    tensor, placement = to_tensor(read_rgba(file), spec)
    return Given(title, {**options(manifest), spec.name: tensor}, file, placement)


def _archive(manifest: Manifest, file: Path) -> Feeds:
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, AttributeError) as error:
        raise WebbuildError(
            "unreadable-tensors",
            f"{file}: {error}",
            "give an .npz file written by numpy.savez, with an array for each input",
            exit_code=USAGE,
        ) from error
    wanted = {spec.name: spec for spec in manifest.inputs if not isinstance(spec, OptionInput)}
    for name, spec in wanted.items():
        found = arrays.get(name)
        if found is None or found.dtype != spec.dtype or list(found.shape) != spec.shape:
            shown = "nothing" if found is None else f"{found.dtype} {list(found.shape)}"
            raise WebbuildError(
                "wrong-input",
                f"{file}: input '{name}' is {shown}, wanted {spec.dtype} {spec.shape}",
                "save every input under its name, with the type and shape that manifest.json gives",
                exit_code=USAGE,
            )
    return {name: arrays[name] for name in wanted}


def _made_up(manifest: Manifest, seed: int) -> Given:
    """Normal floats, and the integers 1 and 2: small enough for a token or an index, and no empty size."""
    generator = np.random.default_rng(seed)
    feeds = options(manifest)
    for spec in manifest.inputs:
        if isinstance(spec, OptionInput):
            continue
        floats = spec.dtype == "float32"
        values = generator.standard_normal(spec.shape) if floats else generator.integers(1, 3, spec.shape)
        feeds[spec.name] = values.astype(spec.dtype)
    return Given(f"seed {seed}", feeds)
