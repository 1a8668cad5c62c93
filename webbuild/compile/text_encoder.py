"""A text encoder on native ONNX Runtime: token ids -> vectors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.model.signature import TensorSpec
from webbuild.preprocess.text_tokenizer import TokenizedTexts
from webbuild.runners.native import NativeRunner

_BATCH = 32
_CLIP_LENGTH, _SIGLIP_LENGTH = 77, 64
_NAMES = tuple(re.compile(name) for name in (r"text[-_](embeds?|embeddings?|features?)", "pooler_output"))
"""Names of the embedding output, the best first."""


def text_length(source: OnnxModel, *, sigmoid: bool) -> int:
    """Return the number of tokens of a text: from the graph, the configuration, or the model family."""
    shape = token_input(source).shape
    if len(shape) == 2 and isinstance(shape[1], int):
        return shape[1]
    config = source.signature.hub_files.config
    parts = (config.get("text_config"), config)
    known = (each.get("max_position_embeddings") for each in parts if isinstance(each, Mapping))
    default = _SIGLIP_LENGTH if sigmoid else _CLIP_LENGTH
    return next((each for each in known if isinstance(each, int) and each > 0), default)


def token_input(source: OnnxModel) -> TensorSpec:
    """Return the input of token ids: the only integer input [texts, tokens] that is not a mask, position or type."""
    inputs = [each for each in source.signature.inputs if len(each.shape) == 2 and each.dtype in ("int64", "int32")]
    named = [each for each in inputs if not any(part in each.name for part in ("mask", "position", "type"))]
    if len(named) != 1:
        raise text_mismatch(
            source, "does not have exactly one input of token ids [texts, tokens]", "give a text encoder with --text"
        )
    return named[0]


def embed_texts(source: OnnxModel, tokens: TokenizedTexts) -> tuple[str, NDArray[Any]]:
    """Return the name of the embedding output, and the vectors [texts, size]."""
    ids = token_input(source)
    runner, fixed = NativeRunner(source.path, source.graph_bytes), ids.shape[0]
    step = fixed if isinstance(fixed, int) else _BATCH
    vectors: list[NDArray[Any]] = []
    output = ""
    for at in range(0, len(tokens.ids), step):
        rows = np.arange(at, at + step)
        # a fixed batch is padded with the last text; a free batch is smaller at the end
        rows = rows.clip(max=len(tokens.ids) - 1) if isinstance(fixed, int) else rows[rows < len(tokens.ids)]
        outputs = runner.run(_feeds(source, runner, tokens.ids[rows], tokens.mask[rows]))
        output = output or _vector_name(source, outputs)
        vectors.append(outputs[output][: len(tokens.ids) - at].astype(np.float64))
    runner.close()
    return output, np.concatenate(vectors)


def _feeds(
    source: OnnxModel, runner: NativeRunner, ids: NDArray[np.int64], mask: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    feeds: dict[str, NDArray[Any]] = {}
    for spec in source.signature.inputs:
        if spec.name == token_input(source).name:
            values = ids
        elif "mask" in spec.name:
            values = mask
        elif "position" in spec.name:
            values = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
        elif "type" in spec.name:
            values = np.zeros_like(ids)
        else:
            raise text_mismatch(source, f"takes '{spec.name}' in addition to a text", "export the text encoder alone")
        feeds[spec.name] = values.astype(runner.input_dtypes[spec.name])
    return feeds


def _vector_name(source: OnnxModel, outputs: Mapping[str, NDArray[Any]]) -> str:
    vectors = [name for name, array in outputs.items() if array.ndim == 2 and array.dtype.kind == "f"]
    named = [name for pattern in _NAMES for name in vectors if pattern.fullmatch(name)]
    if not named and len(vectors) != 1:
        raise text_mismatch(source, "does not have exactly one output [texts, size]", "export it with its projection")
    return [*named, *vectors][0]


def text_mismatch(source: OnnxModel, what: str, fix: str) -> WebbuildError:
    """Return the error of a model that is not a text encoder, or does not fit the image encoder."""
    return WebbuildError("text-mismatch", f"{source.path.name}: {what}", fix, exit_code=USAGE)
