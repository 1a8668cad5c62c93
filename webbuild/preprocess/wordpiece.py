"""A WordPiece tokenizer, which turns a text into token ids and back. The browser reads the same file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from webbuild.errors import USAGE, WebbuildError
from webbuild.preprocess.tokenizer_parts import has_expression

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SPECIAL_TOKENS = ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
_FIX_TOKENIZER = (
    "copy the tokenizer.json or the vocab.txt that the model was exported with next to it, or give --task tensor"
)


class WordpieceTokenizer:
    """A BERT-like tokenizer, read from the text of a `tokenizer.json`."""

    def __init__(self, text: str) -> None:
        self.text = text

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, from [CLS] to [SEP]. Raises `tokenizer-mismatch`."""
        try:
            return list(self._tokenizer.encode(text).ids)
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # a panic in Rust code
                raise
            what = f"the tokenizer next to the model fails on the text '{text[:80]}': {error}"
            raise WebbuildError("tokenizer-mismatch", what, _FIX_TOKENIZER) from error

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of token ids, special tokens included, as `bert-base-uncased` writes it."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=False))

    def token_id(self, piece: str) -> int | None:
        """Return the id of a token, None if it is not in the vocabulary."""
        number: int | None = self._tokenizer.token_to_id(piece)
        return number

    @property
    def vocabulary_size(self) -> int:
        """The number of tokens."""
        return int(self._tokenizer.get_vocab_size())

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise WebbuildError(
                "tokenizers-missing",
                "tokenizers: not installed; the model takes a text prompt",
                "pip install 'webbuild[tokenizers]'",
                exit_code=USAGE,
            ) from error

        return Tokenizer.from_str(self.text)


def load_tokenizer(
    file: str, tokenizer_json: Mapping[str, Any], vocabulary: Sequence[str], config: Mapping[str, Any]
) -> WordpieceTokenizer:
    """Return the tokenizer from the files next to a model.

    Args:
        file: the model's file name, for messages.
        tokenizer_json: the contents of `tokenizer.json`, empty if there is none.
        vocabulary: the lines of `vocab.txt`, used if there is no `tokenizer.json`.
        config: the contents of `tokenizer_config.json`.

    Raises:
        WebbuildError: `tokenizers-missing`; `no-tokenizer` if there is neither file;
            `tokenizer-mismatch` if the tokenizer is not WordPiece or is broken.
    """
    if not tokenizer_json and not vocabulary:
        what = f"{file}: the model takes a text prompt, and neither tokenizer.json nor vocab.txt is next to it"
        raise WebbuildError("no-tokenizer", what, _FIX_TOKENIZER)
    tokenizer = (
        {**tokenizer_json, "truncation": None, "padding": None}
        if tokenizer_json
        else tokenizer_json_from_vocab(vocabulary, config)
    )
    kind = _model_type(tokenizer.get("model"))
    if kind != "WordPiece":
        what = f"{file}: the tokenizer.json next to it has the type {kind}, but BERT needs WordPiece"
        raise WebbuildError("tokenizer-mismatch", what, _FIX_TOKENIZER)
    if any(has_expression(part) for name, part in tokenizer.items() if name != "model"):
        what = f"{file}: the tokenizer.json next to it has a regular expression, which BERT's does not have"
        raise WebbuildError("tokenizer-mismatch", what, _FIX_TOKENIZER)
    loaded = WordpieceTokenizer(json.dumps(tokenizer, ensure_ascii=True, separators=(",", ":")))
    try:
        missing = [piece for piece in (*SPECIAL_TOKENS, ".") if loaded.token_id(piece) is None]
    except WebbuildError:
        raise
    except Exception as error:  # the library raises plain Exception for invalid files
        what = f"{file}: the tokenizer.json next to it cannot be read: {error}"
        raise WebbuildError("tokenizer-mismatch", what, _FIX_TOKENIZER) from error
    if missing:
        what = f"{file}: the vocabulary next to it lacks {' and '.join(missing)}, which every prompt needs"
        raise WebbuildError("tokenizer-mismatch", what, _FIX_TOKENIZER)
    return loaded


def tokenizer_json_from_vocab(vocabulary: Sequence[str], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return BERT's `tokenizer.json` for a `vocab.txt`; it lower-cases unless the configuration says otherwise."""
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    special = [piece for piece in (*SPECIAL_TOKENS, "[MASK]") if piece in numbers]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    ends = [{"SpecialToken": {"id": piece, "type_id": 0}} for piece in ("[CLS]", "[SEP]")]
    second = [{"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}]
    single = [ends[0], {"Sequence": {"id": "A", "type_id": 0}}, ends[1]]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": numbers[piece], "content": piece, **flags} for piece in sorted(special, key=numbers.__getitem__)
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": bool(config.get("tokenize_chinese_chars", True)),
            "strip_accents": config.get("strip_accents"),
            "lowercase": bool(config.get("do_lower_case", True)),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, *second],
            "special_tokens": {
                piece: {"id": piece, "ids": [numbers.get(piece, 0)], "tokens": [piece]} for piece in ("[CLS]", "[SEP]")
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": numbers,
        },
    }


def _model_type(model: object) -> str:
    """Return the type of a tokenizer's model, which old files leave out."""
    if not isinstance(model, Mapping):
        return "unknown"
    return str(model.get("type") or ("WordPiece" if "continuing_subword_prefix" in model else "unknown"))
