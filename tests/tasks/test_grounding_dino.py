"""Recognition of detectors with a prompt by their metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from tests.preprocess.test_prompt import TOKENIZER, VOCABULARY
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import GroundingTask, ImageInput, PromptInput
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.tasks.options.symbolic_dims import resolve_dims, unknown_dims
from webbuild.tasks.registry import match_task

LENGTH, WIDTH = 16, 20
PIXELS = TensorSpec("pixel_values", "float32", (1, 3, 64, 96))
WORDS = HubFiles(vocabulary=VOCABULARY)


def tokens(name: str, dtype: str = "int64", shape: tuple[Dim, ...] = (1, LENGTH)) -> TensorSpec:
    return TensorSpec(name, dtype, shape)


OWN = (PIXELS, tokens("input_ids"), tokens("token_type_ids"), tokens("attention_mask"))
MASK = TensorSpec("pixel_mask", "int64", (1, 64, 96))
ORIGINAL = (
    TensorSpec("img", "float32", (1, 3, 64, 96)),
    tokens("input_ids"),
    tokens("attention_mask", "bool"),
    tokens("position_ids"),
    tokens("token_type_ids"),
    tokens("text_token_mask", "bool", (1, LENGTH, LENGTH)),
)


def outputs(boxes: str = "pred_boxes", logits: str = "logits", width: int = WIDTH) -> tuple[TensorSpec, ...]:
    return TensorSpec(logits, "float32", (1, 9, width)), TensorSpec(boxes, "float32", (1, 9, 4))


def facts(
    inputs: Sequence[TensorSpec], given: Sequence[TensorSpec] = outputs(), beside: HubFiles = WORDS
) -> ModelSignature:
    return ModelSignature("m.onnx", "pytorch", {}, tuple(inputs), tuple(given), frozenset(), beside)


def test_transformers_inputs_are_known_by_their_names() -> None:
    known = match_task(facts((*OWN, MASK)))
    task = known.task
    assert isinstance(task, GroundingTask)
    assert (task.output, task.boxes, task.queries, task.max_tokens) == ("logits", "pred_boxes", 9, LENGTH)
    assert task.special_tokens == {"[CLS]": 2, "[SEP]": 3, ".": 5, "?": 6, "[PAD]": 0}
    assert known.postprocess == GroundingPostprocess(constant_masks={"pixel_mask": (1, 64, 96)})
    image, *words = known.inputs
    assert isinstance(image, ImageInput)
    assert (image.letterbox.mode, image.mean[0]) == ("stretch", 0.485)
    assert [(word.name, word.role) for word in words if isinstance(word, PromptInput)] == [
        ("input_ids", "input_ids"),
        ("token_type_ids", "token_type_ids"),
        ("attention_mask", "attention_mask"),
    ]
    assert b'"WordPiece"' in known.files[task.tokenizer]


def test_the_original_repositorys_inputs_are_known_with_their_types() -> None:
    known = match_task(facts(ORIGINAL, outputs("boxes")))
    words = [word for word in known.inputs if isinstance(word, PromptInput)]
    assert [(word.role, word.dtype) for word in words] == [
        ("input_ids", "int64"),
        ("attention_mask", "bool"),
        ("position_ids", "int64"),
        ("token_type_ids", "int64"),
        ("self_attention_mask", "bool"),
    ]
    assert words[-1].shape == [1, LENGTH, LENGTH]


@pytest.mark.parametrize(
    ("inputs", "given"),
    [
        ((*OWN, tokens("another")), outputs()),
        (OWN[1:], outputs()),
        (OWN, outputs(width=LENGTH - 1)),
        (OWN, outputs(logits="scores")),
        ((PIXELS, tokens("attention_mask")), outputs()),
    ],
    ids=["an input of another kind", "no picture", "a logit for each text", "other outputs", "no tokens"],
)
def test_what_is_none_of_these_is_another_model(inputs: tuple[TensorSpec, ...], given: tuple[TensorSpec, ...]) -> None:
    assert not isinstance(match_task(facts(inputs, given)).task, GroundingTask)


def test_without_a_tokenizer_it_is_told_what_to_copy() -> None:
    with pytest.raises(WebbuildError) as raised:
        match_task(facts(OWN, beside=HubFiles()))
    assert raised.value.code == "no-tokenizer"
    assert "vocab.txt" in raised.value.fix


def test_a_tokenizer_of_another_network_is_refused() -> None:
    config: dict[str, Any] = {"text_config": {"vocab_size": len(VOCABULARY) - 1}}
    with pytest.raises(WebbuildError) as raised:
        match_task(facts(OWN, beside=HubFiles(config=config, vocabulary=VOCABULARY)))
    assert raised.value.code == "tokenizer-mismatch"
    assert f"{len(VOCABULARY)} tokens" in str(raised.value)


FREE = (
    TensorSpec("img", "float32", ("batch_size", 3, 64, 96)),
    tokens("input_ids", shape=("batch_size", "seq_len")),
    tokens("text_token_mask", "bool", ("batch_size", "seq_len", "seq_len")),
)


def test_a_text_of_any_length_is_packed_for_256_tokens() -> None:
    sizes = resolve_dims(facts(FREE), {})
    assert sizes.dims["input_ids:1"] == sizes.dims["text_token_mask:1"] == sizes.dims["text_token_mask:2"] == 256
    assert sizes.dims["img:0"] == sizes.dims["input_ids:0"] == 1
    assert "the text is padded to 256 tokens; change it with --dim" in sizes.assumptions
    assert resolve_dims(facts(FREE), {"seq_len": 32}).dims["text_token_mask:2"] == 32
    short = facts(FREE, beside=HubFiles(config={"max_text_len": 64}))
    assert resolve_dims(short, {}).dims["input_ids:1"] == 64


def test_texts_that_are_not_one_for_each_picture_have_another_length() -> None:
    """OWL-ViT: 16 tokens at most, and any number of texts for a picture."""
    texts = tokens("input_ids", shape=("text_batch_size", "sequence_length"))
    assert unknown_dims(facts((FREE[0], texts)), {}) == ["sequence_length"]


def test_a_picture_of_any_size_is_packed_as_its_configuration_resizes_it() -> None:
    free: tuple[Dim, ...] = ("batch_size", "height", "width")
    inputs = (
        TensorSpec("pixel_values", "float32", ("batch_size", 3, "height", "width")),
        tokens("input_ids", shape=("batch_size", "seq_len")),
        TensorSpec("pixel_mask", "int64", free),
    )
    told = HubFiles(preprocessor={"size": {"height": 64, "width": 96}}, vocabulary=VOCABULARY)
    sizes = resolve_dims(facts(inputs, beside=told), {})
    assert [sizes.dims[key] for key in ("pixel_values:2", "pixel_values:3", "pixel_mask:1", "pixel_mask:2")] == [
        64,
        96,
        64,
        96,
    ]
    edges = HubFiles(preprocessor={"size": {"shortest_edge": 800, "longest_edge": 1333}}, vocabulary=VOCABULARY)
    with pytest.raises(WebbuildError) as raised:
        resolve_dims(facts(inputs, beside=edges), {})
    assert raised.value.code == "unknown-dimension"


def test_a_text_without_a_picture_has_no_length_that_is_known() -> None:
    with pytest.raises(WebbuildError) as raised:
        resolve_dims(facts(FREE[1:]), {})
    assert raised.value.code == "unknown-dimension"


def test_without_boxes_to_find_nothing_says_how_long_the_text_is() -> None:
    towers = msgspec.structs.replace(facts(FREE), outputs=(TensorSpec("logits_per_image", "float32", (1, 1)),))
    with pytest.raises(WebbuildError) as raised:
        resolve_dims(towers, {})
    assert raised.value.code == "unknown-dimension"


def test_the_file_beside_it_goes_into_the_bundle() -> None:
    import json

    told = json.loads(TOKENIZER.read_text("utf-8"))
    known = match_task(facts(OWN, beside=HubFiles(tokenizer=told, vocabulary=("other",))))
    assert json.loads(known.files["tokenizer.json"]) == told
    assert any("tokenizer.json next to the model" in sentence for sentence in known.assumptions)
