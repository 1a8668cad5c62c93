"""The runtime's tokenizer compared with Python's, on strings of all kinds."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.trained_tokenizers import clip_tokenizer, gemma_tokenizer, siglip_tokenizer, strings
from webbuild.preprocess.runtime_tokenizer import UnknownTableError, normalize_in_runtime, table_exceptions
from webbuild.preprocess.text_tokenizer import TextTokenizer

ROOT = Path(__file__).parents[2]
COUNT = 10_000 if os.environ.get("WEBBUILD_EXAMPLES") else 1_000
SEED = int(os.environ.get("WEBBUILD_SEED", "0"))
READ = """
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
const { tokenizer, texts } = JSON.parse(readFileSync(process.argv[1]));
const reader = new Tokenizer(JSON.parse(tokenizer), {});
process.stdout.write(JSON.stringify(texts.map((text) => reader.encode(text).ids)));
"""


def in_javascript(tokenizer: TextTokenizer, texts: Sequence[str], folder: Path) -> list[list[int]]:
    """Return the token ids of each text from the runtime's tokenizer library, called as web/src/tokenizer.ts does."""
    given = folder / "given.json"
    given.write_text(json.dumps({"tokenizer": tokenizer.for_runtime(), "texts": texts}))
    command = ["node", "--input-type=module", "-e", READ, str(given)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    ids: list[list[int]] = json.loads(done.stdout)
    return ids


def test_a_table_is_read_where_the_runtime_would_not_do_as_it_says() -> None:
    def nearly(letter: str) -> str:
        return " " if letter == "x" else letter if letter == "\u200d" else normalize_in_runtime(letter)

    assert table_exceptions(nearly) == {"x": " ", "\u200d": "\u200d"}
    with pytest.raises(UnknownTableError, match="differs on"):
        table_exceptions(lambda letter: letter)


@pytest.mark.parametrize("trained", [clip_tokenizer, siglip_tokenizer, gemma_tokenizer])
def test_both_make_the_same_tokens_of_any_string(trained: Callable[[], str], tmp_path: Path) -> None:
    tokenizer, texts = TextTokenizer(trained(), trained.__name__), strings(COUNT, SEED)
    want, got = tokenizer.encode(texts), in_javascript(tokenizer, texts, tmp_path)
    differing = [(text, one, other) for text, one, other in zip(texts, want, got, strict=True) if one != other]
    assert len({tuple(each) for each in want}) > COUNT // 2
    assert differing == []
