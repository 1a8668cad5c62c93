"""From the tokens of a text to the inputs of a text encoder: the cases shared by Python and TypeScript."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Input
from webbuild.manifest.tasks.embed import TextInput
from webbuild.preprocess.text_feeds import text_feeds

FILES = sorted((Path(__file__).parents[2] / "conformance" / "text-feeds").glob("*.json"))


def test_there_are_cases() -> None:
    assert len(FILES) > 3


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_tokens_become_tensors(file: Path) -> None:
    case = json.loads(file.read_text("utf-8"))
    inputs = msgspec.convert(case["inputs"], list[Input])
    spec = TextInput(tokenizer="", texts=[], logit_scale=None, logit_bias=None, **case["textInput"])
    if case["want"] is None:
        with pytest.raises(WebbuildError) as raised:
            text_feeds(inputs, spec, "a text", case["ids"])
        assert raised.value.code == "invalid-prompt"
        return
    fed = text_feeds(inputs, spec, "a text", case["ids"])
    assert {name: array.ravel().tolist() for name, array in fed.items()} == case["want"]
    for given in case["inputs"]:
        assert (list(fed[given["name"]].shape), fed[given["name"]].dtype) == (given["shape"], np.dtype(given["dtype"]))
