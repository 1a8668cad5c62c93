"""The choice of ONNX files in a folder or repository: a model, or an encoder and its decoder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from webbuild.errors import USAGE, WebbuildError

_VARIANT = re.compile(r"_(fp16|quantized|int8|uint8|q8|q4|q4f16|bnb4)$")
"""Suffix that the Hub's exporters add to the name of a file in another precision."""
_MAX_NAMED = 8
HUB_PREFIX = "hf:"


def without_precision(stem: str) -> str:
    """Return a file's stem without its precision: `vision_encoder_fp16` -> `vision_encoder`."""
    return _VARIANT.sub("", stem)


_IMAGE, _TEXT = {"vision", "image", "visual"}, {"text", "textual"}
"""Words in the file names of the two encoders of models like CLIP."""


def choose_files(model: str, names: Sequence[str], *, pairs: bool) -> tuple[str, ...]:
    """Return the file of the only model; with `pairs` also an encoder and its decoder, if there are no other models.

    With `pairs` an image encoder and its text encoder are preferred to a file `model` that has both. If a model has
    files of several precisions, the float32 file is chosen: `--precision` makes the others.

    Raises:
        WebbuildError: `several-models`.
    """
    models = _by_model(names)
    others = len(models) - ((PurePosixPath(), "model") in models)
    if pairs and others == 2 and (both := _image_and_text(models)):
        return both
    if (default := _default(models)) is not None:
        return (_best(default),)
    pair = _encoder_and_decoder(models)
    if pairs and len(models) == len(pair):
        return pair
    raise several_models(model, names, pair, together=pairs)


def several_models(
    model: str, names: Sequence[str], pair: Sequence[str] = (), reason: str = "", *, together: bool = True
) -> WebbuildError:
    """Return the error for a folder or repository with several models; `pair` is the example of two stages.

    `together`: the command can pack several models as one.
    """
    listed = ", ".join(names[:_MAX_NAMED])
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    start = f"{model}:" if model.startswith(HUB_PREFIX) else f"{model.rstrip('/')}/"
    stages = " ".join(f"{start}{name}" for name in pair or [_best(each) for each in _by_model(names).values()][:2])
    all_of_them = f", or all that belong together: webbuild pack {stages}" if together else ""
    return WebbuildError(
        "several-models",
        f"{model}: has several models: {listed}{more}{reason and '; '}{reason}",
        f"name one of them, for example {start}{names[0]}{all_of_them}",
        exit_code=USAGE,
    )


def _by_model(names: Sequence[str]) -> dict[tuple[PurePosixPath, str], list[str]]:
    """Return the files of each model by (folder, name); `x/onnx` counts as the folder `x`."""
    models: dict[tuple[PurePosixPath, str], list[str]] = {}
    for name in names:
        path = PurePosixPath(name)
        folder = path.parent.parent if path.parent.name == "onnx" else path.parent
        models.setdefault((folder, without_precision(path.stem)), []).append(name)
    return models


def _default(models: Mapping[tuple[PurePosixPath, str], list[str]]) -> list[str] | None:
    """Return the files of the model named `model`, else of the only model."""
    only = next(iter(models.values())) if len(models) == 1 else None
    return models.get((PurePosixPath(), "model"), only)


def is_encoder_pair(files: Sequence[str]) -> bool:
    """Whether the files are an image encoder and its text encoder, in this order, as `choose_files` returns them."""
    return bool(files) and _image_and_text(_by_model(files)) == tuple(files)


def _image_and_text(models: Mapping[tuple[PurePosixPath, str], list[str]]) -> tuple[str, ...]:
    """Return the image encoder and the text encoder, as of CLIP, if one folder has one of each."""
    words = {key: set(re.split(r"[-_.]", key[1].lower())) for key in models}
    image = [key for key, each in words.items() if each & _IMAGE and not each & _TEXT]
    text = [key for key, each in words.items() if each & _TEXT and not each & (_IMAGE | {"decoder"})]
    same = len(image) == len(text) == 1 and image[0][0] == text[0][0]
    return (_best(models[image[0]]), _best(models[text[0]])) if same else ()


def _encoder_and_decoder(models: Mapping[tuple[PurePosixPath, str], list[str]]) -> tuple[str, ...]:
    """Return the encoder and the decoder if there is one of each. Only a decoder has both words in its name.

    Of Optimum's decoders it is `decoder_model`: `decoder_with_past_model` does not read what the encoder returns.
    """
    words = {key: set(re.split(r"[-_.]", key[1].lower())) for key in models}
    encoders = [key for key, each in words.items() if "encoder" in each and "decoder" not in each]
    decoders = [key for key, each in words.items() if "decoder" in each]
    if len(decoders) > 1 and len(encoders) == 1:
        folder, name = encoders[0]
        decoders = [key for key in decoders if key == (folder, name.lower().replace("encoder", "decoder"))]
    return (_best(models[encoders[0]]), _best(models[decoders[0]])) if len(encoders) == len(decoders) == 1 else ()


def _best(files: Sequence[str]) -> str:
    stems = {file: PurePosixPath(file).stem for file in files}
    return min(files, key=lambda file: (without_precision(stems[file]) != stems[file], "fp16" not in file, file))
