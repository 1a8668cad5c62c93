"""Any tokenizer file next to a model: it tokenizes a prompt, or is refused with a fix."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import damage
from tests.fuzz.bounds import tried, typed_end
from tests.prompted import WORDS
from webbuild.errors import WebbuildError
from webbuild.model.hub_files import read_hub_files
from webbuild.preprocess.wordpiece import load_tokenizer

TOKENIZER, VOCABULARY = (WORDS / name for name in ("tokenizer.json", "vocab.txt"))


@pytest.mark.timeout(7200)
@tried(few=100, many=3_000)
@given(st.data())
def test_any_tokenizer_tokenizes_or_is_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp() / "tokenizers"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    if data.draw(st.integers(0, 3)):
        (folder / "tokenizer.json").write_bytes(damage.json_of(TOKENIZER.read_bytes(), data.draw))
    else:
        (folder / "vocab.txt").write_bytes(damage.bytes_of(VOCABULARY.read_bytes(), data.draw))
        config = damage.json_of(b'{"do_lower_case": true, "tokenizer_class": "BertTokenizer"}', data.draw)
        (folder / "tokenizer_config.json").write_bytes(config)
    text = data.draw(st.sampled_from(("red circle.", "", "x" * 5000)) | st.text(max_size=40))
    with typed_end("tokenizers"):
        files = read_hub_files(folder / "m.onnx")
        found = load_tokenizer("m.onnx", files.tokenizer, files.vocabulary, files.tokenizer_config)
        ids = found.encode(text)
        assert all(isinstance(number, int) for number in ids)
        assert isinstance(found.decode(ids), str)


def test_a_piece_at_the_ends_that_nobody_defines_is_refused() -> None:
    """The library panics there in Rust, which raises no Exception in Python."""
    whole = json.loads(TOKENIZER.read_bytes())
    whole["post_processor"]["special_tokens"] = {}
    with pytest.raises(WebbuildError) as raised:
        load_tokenizer("m.onnx", whole, (), {}).encode("red")
    assert raised.value.code == "tokenizer-mismatch"
