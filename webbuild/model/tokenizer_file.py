"""The tokenizer of a text encoder, tokenizer.json or CLIP's vocabulary: a named file, or the file next to it."""

from __future__ import annotations

from pathlib import Path

from webbuild.errors import WebbuildError
from webbuild.model.hub_files import find_hub_file
from webbuild.preprocess.clip_vocabulary import VOCABULARY_FILE, tokenizer_json_from_merges
from webbuild.preprocess.text_tokenizer import OWN_TOKENIZER, TextTokenizer

_MAX_BYTES = 100_000_000
"""Largest tokenizer.json that is read; Gemma's, of SigLIP 2, has a third of it."""


def read_tokenizer(model: Path, named_file: Path | None = None) -> TextTokenizer:
    """Return the tokenizer of a text encoder: `named_file`, else the file next to it or in the parent of `onnx`.

    A file whose name ends in `.gz` is the vocabulary of OpenAI's CLIP, any other a tokenizer.json.

    Raises:
        WebbuildError: `no-tokenizer`, `tokenizer-mismatch`, `tokenizers-missing`.
    """
    found = find_hub_file(model, "tokenizer.json") or find_hub_file(model, VOCABULARY_FILE)
    file = found if named_file is None else named_file
    if file is None or not file.is_file():
        what = f"{named_file}: no such file" if named_file else f"{model}: no tokenizer.json next to the text encoder"
        raise WebbuildError("no-tokenizer", what, OWN_TOKENIZER)
    if file.stat().st_size > _MAX_BYTES:
        raise WebbuildError("tokenizer-mismatch", f"{file}: more than {_MAX_BYTES:,} bytes", OWN_TOKENIZER)
    try:
        packed = file.suffix == ".gz"
        text = tokenizer_json_from_merges(file.read_bytes()) if packed else file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise WebbuildError("tokenizer-mismatch", f"{file}: is not UTF-8 text", OWN_TOKENIZER) from error
    except ValueError as error:
        raise WebbuildError("tokenizer-mismatch", f"{file}: {error}", OWN_TOKENIZER) from error
    return TextTokenizer(text, str(file))
