"""CLIP's vocabulary file is a tokenizer: bytes, bytes at the end of a word, merges, start and end tokens."""

from __future__ import annotations

import gzip
from itertools import islice, product
from pathlib import Path

import pytest

from webbuild.errors import WebbuildError
from webbuild.model.tokenizer_file import read_tokenizer
from webbuild.preprocess.clip_vocabulary import VOCABULARY_FILE

LETTERS = [chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x144))]
PAIRS = list(islice(product(LETTERS, LETTERS), 48_894))
"""As many merges as CLIP has: each letter with most letters at the end of a word."""


def vocabulary(folder: Path, pairs: int) -> Path:
    lines = ["#version: 0.2", *(f"{first} {last}</w>" for first, last in PAIRS[:pairs]), "unused lines"]
    (folder / VOCABULARY_FILE).write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder / VOCABULARY_FILE


def test_the_vocabulary_beside_a_text_encoder_is_its_tokenizer(tmp_path: Path) -> None:
    vocabulary(tmp_path, len(PAIRS))
    tokenizer = read_tokenizer(tmp_path / "text.onnx")
    assert tokenizer.size == 49_408
    ab, a, b = 512 + PAIRS.index(("a", "b")), LETTERS.index("a"), 256 + LETTERS.index("b")
    assert tokenizer.encode(["AB  b", "aab"]) == [[49_406, ab, b, 49_407], [49_406, a, ab, 49_407]]
    assert tokenizer.encode([" é's 1"])[0][1:-1] == [
        512 + PAIRS.index(("Ã", "©")),
        512 + PAIRS.index(("'", "s")),
        256 + LETTERS.index("1"),
    ]
    assert tokenizer.padding({}) == ("token 0", 0)
    assert "</w>" in tokenizer.for_runtime()


@pytest.mark.parametrize("broken", ["short", "packed", "text"])
def test_another_file_is_refused(tmp_path: Path, broken: str) -> None:
    file = vocabulary(tmp_path, 1000)
    if broken != "short":
        file.write_bytes(b"a b" if broken == "text" else file.read_bytes()[:-20])
    with pytest.raises(WebbuildError) as refused:
        read_tokenizer(tmp_path / "text.onnx", file)
    assert refused.value.code == "tokenizer-mismatch"
