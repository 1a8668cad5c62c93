"""CLIP-like models exported as one graph, split into an image encoder and a text encoder."""

from __future__ import annotations

import mmap
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.compile.zero_shot import is_logit_weight
from webbuild.model.hub_files import copy_configurations
from webbuild.model.lazy_initializers import LARGE_FILE_BYTES
from webbuild.model.load import OnnxModel, load_onnx

if TYPE_CHECKING:
    import onnx_ir as ir

_PICTURE, _TOKENS = "pixel_values", "input_ids"
_PICTURE_VECTOR, _TEXT_VECTOR = "image_embeds", "text_embeds"
"""Input and output names of transformers' exports."""


def may_hold_both_encoders(path: Path) -> bool:
    """Whether a file contains the input and output names of both encoders, without parsing it."""
    names = (_PICTURE, _TOKENS, _PICTURE_VECTOR, _TEXT_VECTOR)
    if path.suffix != ".onnx" or path.stat().st_size == 0:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return all(data.find(name.encode()) >= 0 for name in names)


def split_encoders(path: Path, folder: Path) -> tuple[Path, Path] | None:
    """Write each encoder of a model to its own file, next to a copy of the model's configuration and tokenizer.

    Args:
        path: a model that computes `image_embeds` from `pixel_values` alone, and `text_embeds` from the other inputs.
        folder: the folder of the files.

    Returns:
        The image encoder and the text encoder; None for any other model.

    Raises:
        WebbuildError: what `load_onnx` raises.
        OSError: the files cannot be written.
    """
    source = load_onnx(path)
    inputs = [each.name for each in source.signature.inputs]
    outputs = {each.name for each in source.signature.outputs}
    if not {_PICTURE, _TOKENS} <= {*inputs} or not {_PICTURE_VECTOR, _TEXT_VECTOR} <= outputs:
        return None
    texts = [each for each in inputs if each != _PICTURE]
    try:
        image = _extract_part(source, [_PICTURE], _PICTURE_VECTOR)
        text = _extract_part(source, texts, _TEXT_VECTOR)
    except ValueError:  # an embedding needs the inputs of both encoders
        return None
    folder.mkdir(exist_ok=True)
    copy_configurations(path, folder)
    return _write_model(image, folder / f"{path.stem}.image.onnx"), _write_model(
        text, folder / f"{path.stem}.text.onnx"
    )


def _extract_part(source: OnnxModel, inputs: Collection[str], output: str) -> ir.Model:
    """Return the subgraph from inputs to an output, with the weights of logit scale and bias.

    Raises:
        ValueError: the output needs another input.
    """
    import onnx_ir as ir

    part = ir.convenience.extract(source.model.graph, list(inputs), [output])
    for value in [each for each in part.inputs if not each.uses()]:
        part.inputs.remove(value)
    for name, value in source.model.graph.initializers.items():
        if is_logit_weight(name) and name not in part.initializers:
            part.register_initializer(ir.Value(name=name, const_value=value.const_value, type=value.type))
    # extract() orders them differently in each run; sorted, the same model gives the same file.
    ordered = sorted(part.initializers.items())
    part.initializers.clear()
    part.initializers.update(ordered)
    return ir.Model(part, ir_version=source.model.ir_version, functions=list(source.model.functions.values()))


def _write_model(model: ir.Model, file: Path) -> Path:
    import onnx_ir as ir

    weights = sum(each.const_value.nbytes for each in model.graph.initializers.values() if each.const_value is not None)
    ir.save(model, file, external_data=f"{file.name}.data" if weights > LARGE_FILE_BYTES else None)
    return file
