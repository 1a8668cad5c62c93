"""The tokenizer of a text encoder: turn texts into token ids, padded to one length."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.preprocess.runtime_tokenizer import UnknownTableError, for_runtime
from webbuild.preprocess.tokenizer_parts import unknown_part

if TYPE_CHECKING:
    from tokenizers import Tokenizer

OWN_TOKENIZER = (
    "copy the tokenizer.json that the text encoder was exported with next to it, or name it with --tokenizer; for "
    "OpenAI's CLIP and open_clip, use bpe_simple_vocab_16e6.txt.gz of the Python package"
)
"""Fix for a missing or wrong tokenizer."""
_Result = TypeVar("_Result")


class TokenizedTexts(Struct, frozen=True):
    """Token ids and attention mask, both [texts, length]; `padding` is the padding token."""

    ids: NDArray[np.int64]
    mask: NDArray[np.int64]
    padding: str


class TextTokenizer:
    """A tokenizer.json without its own padding and truncation."""

    def __init__(self, text: str, file: str) -> None:
        """Parse a tokenizer; `file` names it in messages. Raises `tokenizer-mismatch`, `tokenizers-missing`."""
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            what, fix = "tokenizers: not installed; texts are tokenized", "pip install 'webbuild[tokenizers]'"
            raise WebbuildError("tokenizers-missing", what, fix, exit_code=USAGE) from error
        self._file = file
        parsed = self._checked(lambda: json.loads(text))
        self._own_padding = parsed.get("padding") if isinstance(parsed, dict) else None
        self._tokenizer: Tokenizer = self._checked(lambda: Tokenizer.from_str(text))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def for_runtime(self) -> str:
        """Return the tokenizer.json for a bundle, with every field written out and rewritten for the runtime.

        Raises:
            WebbuildError: `tokenizer-mismatch` for components that the runtime does not support.
        """
        whole = json.loads(self._tokenizer.to_str())
        if (part := unknown_part(whole)) is not None:
            raise self._unsupported(f"the runtime has no {part}")
        try:
            return json.dumps(for_runtime(whole), separators=(",", ":"))
        except UnknownTableError as error:
            raise self._unsupported(str(error)) from error

    def _unsupported(self, why: str) -> WebbuildError:
        fix = "embed labels when packing: --labels FILE; or train a tokenizer of the kind BPE, Unigram or WordPiece"
        return WebbuildError("tokenizer-mismatch", f"{self._file}: {why}", fix)

    @property
    def size(self) -> int:
        """The vocabulary size: one more than the largest token id."""
        return 1 + max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text, special tokens included."""
        return self._checked(lambda: [each.ids for each in self._tokenizer.encode_batch(list(texts))])

    def padding(self, config: Mapping[str, Any]) -> tuple[str, int]:
        """Return the padding token and its id: from the configurations, else token 0, as in OpenAI's CLIP.

        Args:
            config: the contents of `tokenizer_config.json`.
        """
        named = config.get("pad_token")
        named = named.get("content") if isinstance(named, Mapping) else named
        if named is None and isinstance(self._own_padding, Mapping):
            named = self._own_padding.get("pad_token")
        number = self._tokenizer.token_to_id(named) if isinstance(named, str) else None
        return (named, number) if isinstance(named, str) and number is not None else ("token 0", 0)

    def _checked(self, work: Callable[[], _Result]) -> _Result:
        """Return the result of `work`; errors of the library become `tokenizer-mismatch`."""
        try:
            return work()
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # a panic in Rust code
                raise
            what = f"{self._file}: this tokenizer cannot be used: {error}"
            raise WebbuildError("tokenizer-mismatch", what, OWN_TOKENIZER) from error


def tokenize_texts(
    tokenizer: TextTokenizer, config: Mapping[str, Any], texts: Sequence[str], length: int
) -> TokenizedTexts:
    """Tokenize texts and pad each to `length` tokens with the padding token of `config`, tokenizer_config.json.

    Raises:
        WebbuildError: `tokenizer-mismatch`; `invalid-labels` for a text of more than `length` tokens.
    """
    encoded = tokenizer.encode(texts)
    longest = max(range(len(texts)), key=lambda at: len(encoded[at]))
    if len(encoded[longest]) > length:
        what = f"'{texts[longest][:80]}' has {len(encoded[longest])} tokens, the text encoder takes {length}"
        raise WebbuildError("invalid-labels", what, "write shorter texts", exit_code=USAGE)
    padding, number = tokenizer.padding(config)
    ids = np.full((len(texts), length), number, np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(encoded):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return TokenizedTexts(ids, mask, padding)
