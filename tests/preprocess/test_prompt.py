"""Prompts and their detections: the cases shared by Python and TypeScript, and more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tests.tasks.test_conformance import FOLDER, cases_of, read
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import GroundingTask, Input
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.prompt import caption, prompt_feeds, tokenize_prompt
from webbuild.preprocess.wordpiece import WordpieceTokenizer, load_tokenizer, tokenizer_json_from_vocab
from webbuild.tasks.grounding import post_process_grounding

TOKENIZER = FOLDER / "tokenizer" / "tokenizer.json"
VOCABULARY = tuple((FOLDER / "tokenizer" / "vocab.txt").read_text("utf-8").split())
READER = WordpieceTokenizer(TOKENIZER.read_text("utf-8"))


def task_of(case: dict[str, Any]) -> GroundingTask:
    told = dict(case["task"])
    return msgspec.convert(told, GroundingTask)


@cases_of("prompt")
def test_a_prompt_becomes_the_tensors_that_are_wanted(file: Path) -> None:
    case = read(file)
    task, want = task_of(case), case["want"]
    if want["error"] is not None:
        with pytest.raises(WebbuildError) as raised:
            tokenize_prompt(case["prompt"], READER, task)
        assert raised.value.code == want["error"]
        assert all(text in f"{raised.value} {raised.value.fix}" for text in want["says"])
        return
    prompt = tokenize_prompt(case["prompt"], READER, task)
    assert (prompt.text, list(prompt.ids), list(prompt.phrases)) == (want["caption"], want["ids"], want["phrases"])
    feeds = prompt_feeds(msgspec.convert(case["inputs"], list[Input]), task, prompt)
    assert set(feeds) == set(want["feeds"])
    for name, tensor in want["feeds"].items():
        assert (str(feeds[name].dtype), list(feeds[name].shape)) == (tensor["type"], tensor["dims"])
        np.testing.assert_array_equal(feeds[name].ravel().astype(np.int64), tensor["data"])


@cases_of("grounding")
def test_what_is_said_of_tokens_becomes_the_phrases_that_are_wanted(file: Path) -> None:
    case = read(file)
    task, box = task_of(case), case["letterbox"]
    prompt = tokenize_prompt(case["prompt"], READER, task)
    logits = np.array([[float(value) for value in row] for row in case["logits"]], np.float32)[None]
    boxes = np.array(case["boxes"], np.float32)[None]
    sides = {f"source_{name}": size for name, size in box["source"].items()}
    sides |= {f"input_{name}": size for name, size in case["input"].items()}
    placement = msgspec.convert({**sides, **{k: v for k, v in box.items() if k != "source"}}, ImagePlacement)
    values = {"confidence": case["confidence"], "textThreshold": case["textThreshold"]}
    found = post_process_grounding(task, {task.output: logits, task.boxes: boxes}, prompt, placement, values)
    want, allowed = case["want"], case["tolerance"]
    assert list(prompt.phrases) == want["phrases"]
    assert [(one.label, one.class_index) for one in found] == [
        (w["label"], w["classIndex"]) for w in want["detections"]
    ]
    for one, wanted in zip(found, want["detections"], strict=True):
        assert one.score == pytest.approx(wanted["score"], abs=allowed)
        got = [one.box.x1, one.box.y1, one.box.x2, one.box.y2]
        np.testing.assert_allclose(got, list(wanted["box"].values()), rtol=0, atol=200 * allowed)


def test_the_vocabulary_alone_makes_the_tokenizer() -> None:
    made = tokenizer_json_from_vocab(VOCABULARY, {})
    assert made == json.loads(TOKENIZER.read_text("utf-8"))
    cased = WordpieceTokenizer(json.dumps(tokenizer_json_from_vocab((*VOCABULARY, "Red"), {"do_lower_case": False})))
    assert cased.encode("Red red") == [2, len(VOCABULARY), VOCABULARY.index("red"), 3]


@pytest.mark.parametrize(
    ("told", "vocabulary", "code", "says"),
    [
        ({}, (), "no-tokenizer", "neither tokenizer.json nor vocab.txt"),
        ({"model": {"type": "BPE", "vocab": {}, "merges": []}}, (), "tokenizer-mismatch", "BPE"),
        ({"model": 7}, VOCABULARY, "tokenizer-mismatch", "unknown"),
        ({"model": {"type": "WordPiece"}}, (), "tokenizer-mismatch", "cannot be read"),
        (
            {**tokenizer_json_from_vocab(VOCABULARY, {}), "pre_tokenizer": {"pattern": {"Regex": "(a+)+b"}}},
            (),
            "tokenizer-mismatch",
            "regular expression",
        ),
        ({}, VOCABULARY[4:], "tokenizer-mismatch", "[CLS]"),
        ({}, ("a", "b"), "tokenizer-mismatch", "lacks [CLS] and [SEP]"),
    ],
)
def test_what_is_no_tokenizer_of_a_prompt_is_told(
    told: dict[str, Any], vocabulary: tuple[str, ...], code: str, says: str
) -> None:
    with pytest.raises(WebbuildError) as raised:
        load_tokenizer("m.onnx", told, vocabulary, {})
    assert raised.value.code == code
    assert says in str(raised.value)
    assert "next to it" in raised.value.fix


def test_a_tokenizer_that_cuts_and_pads_is_read_without_that() -> None:
    told = {
        **json.loads(TOKENIZER.read_text("utf-8")),
        "truncation": {"max_length": 3, "strategy": "LongestFirst", "stride": 0},
    }
    assert len(load_tokenizer("m.onnx", told, (), {}).encode("red circle . star .")) == 7


def test_a_text_and_a_list_say_the_same() -> None:
    assert caption("  A CAT . a dog") == "a cat . a dog."
    assert caption(("A cat", " a dog ")) == "a cat. a dog."
