"""The tokenizer.json of a text encoder: the one that is named, else the one beside the model."""

from __future__ import annotations

from pathlib import Path

from webbuild.errors import WebbuildError
from webbuild.model.hub_files import find_hub_file
from webbuild.preprocess.text_tokenizer import OWN_TOKENIZER, TextTokenizer

_MAX_BYTES = 100_000_000
"""Bytes of a tokenizer.json that are read; Gemma's, of SigLIP 2, is a third of it."""


def read_tokenizer(model: Path, given: Path | None = None) -> TextTokenizer:
    """Return the tokenizer of a text encoder: `given`, else the tokenizer.json beside it or above its folder `onnx`.

    Raises:
        WebbuildError: `no-tokenizer`, `tokenizer-mismatch`, `tokenizers-missing`.
    """
    found = find_hub_file(model, "tokenizer.json") if given is None else given
    if found is None or not found.is_file():
        what = f"{given}: no such file" if given else f"{model}: no tokenizer.json lies beside the text encoder"
        raise WebbuildError("no-tokenizer", what, OWN_TOKENIZER)
    if found.stat().st_size > _MAX_BYTES:
        raise WebbuildError("tokenizer-mismatch", f"{found}: more than {_MAX_BYTES:,} bytes", OWN_TOKENIZER)
    try:
        return TextTokenizer(found.read_text("utf-8"), str(found))
    except UnicodeDecodeError as error:
        raise WebbuildError("tokenizer-mismatch", f"{found}: is no text in UTF-8", OWN_TOKENIZER) from error
