"""Embeddings of pictures, computed by native ONNX Runtime with the graph and preprocessing of a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import ImageInput
from webbuild.preprocess.image import image_to_tensor, load_image
from webbuild.reporting.progress import ProgressReporter
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.tasks.run_context import RunContext
from webbuild.verify.bundle import Bundle
from webbuild.verify.reference import reference_runner


def embed_pictures(
    bundle: Bundle, folder: Path, pictures: Sequence[Path], progress: ProgressReporter
) -> tuple[list[str], NDArray[np.float32]]:
    """Return the paths relative to `folder`, and the unit vectors [pictures, size]. Unreadable files are left out.

    Raises:
        WebbuildError: `not-embed` for a bundle of another task, `unreadable-image` if no picture can be read, and what
            `reference_runner` raises.
    """
    first = bundle.variants[0]
    task, inputs = first.manifest.task, first.manifest.inputs
    if not kind_of(task).ranks_inputs or len(inputs) != 1 or not isinstance(inputs[0], ImageInput):
        raise WebbuildError(
            "not-embed",
            f"{bundle.directory}: is not a model that returns one vector per picture",
            "give a bundle of task embed: webbuild pack MODEL --task embed",
            exit_code=USAGE,
        )
    runner, image = reference_runner(first), inputs[0]
    names: list[str] = []
    vectors: list[NDArray[np.float32]] = []
    unreadable: WebbuildError | None = None
    for path in pictures:
        try:
            tensor, _ = image_to_tensor(load_image(path), image)
        except WebbuildError as error:
            unreadable = error
            progress.print(f"warning: left out: {error.message}")
            continue
        (vector,) = decode_task(task, runner.run({image.name: tensor}), RunContext())
        vectors.append(np.asarray(vector, np.float32))
        names.append(path.relative_to(folder).as_posix())
    if unreadable is not None and not names:
        raise unreadable
    return names, np.stack(vectors)
