"""Checks that a tokenizer fits a text encoder: it has as many tokens as the embedding has rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.compile.text_encoder import token_input
from webbuild.errors import WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.passes.rewrite import consumers
from webbuild.preprocess.text_tokenizer import TextTokenizer

if TYPE_CHECKING:
    import onnx_ir as ir

_MOVES = {"Cast", "Identity", "Reshape", "Flatten", "Unsqueeze", "Squeeze"}
"""Operators that do not change token ids."""
_SPARE_ROWS = 1024
"""Rows that an embedding may have beyond the vocabulary: some embeddings are padded to a round number."""


def check_vocabulary(source: OnnxModel, tokenizer: TextTokenizer) -> None:
    """Raise if a tokenizer's vocabulary size does not fit the encoder's embedding.

    Raises:
        WebbuildError: `tokenizer-mismatch`.
    """
    name = token_input(source).name
    rows = next((_embedding_rows(each) for each in source.model.graph.inputs if each.name == name), None)
    if rows is not None and not rows - _SPARE_ROWS < tokenizer.size <= rows:
        raise WebbuildError(
            "tokenizer-mismatch",
            f"{source.path.name}: its embedding has {rows:,} rows, and the tokenizer {tokenizer.size:,} tokens",
            "give the tokenizer.json that the text encoder was exported with: --tokenizer FILE",
        )


def _embedding_rows(value: ir.Value) -> int | None:
    """Return the number of rows of the embedding table [rows, size] that an input indexes, None without one."""
    for node in consumers(value):
        if node.op_type in _MOVES and node.inputs[0] is value:
            if (rows := _embedding_rows(node.outputs[0])) is not None:
                return rows
        elif node.op_type == "Gather" and node.inputs[1] is value:
            table = node.inputs[0]
            shape = None if table is None or table.const_value is None else table.const_value.shape
            if shape is not None and len(shape) == 2 and isinstance(shape[0], int):
                return shape[0]
    return None
