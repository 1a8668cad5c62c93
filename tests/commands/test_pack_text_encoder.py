"""A text encoder ships next to its image encoder: its tokenizer, its own proof, and clear errors."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest

from tests.colours import paint
from tests.commands.program import pack, webbuild
from tests.compared import verdicts
from tests.embedding_models import SIZE, WORDS, both_encoders, encoder, text_encoder, word_tokenizer
from tests.models import save, weights
from webbuild.compile.split_encoders import split_encoders
from webbuild.manifest.manifest import ClassifyTask, EmbedTask, PromptInput
from webbuild.preprocess.text_tokenizer import TextTokenizer

pytestmark = pytest.mark.usefixtures("stand_in")

TABLE = weights(len(WORDS), SIZE, seed=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    paint(tmp_path / "samples")
    save(encoder("image_embeds"), tmp_path / "vision.onnx")
    (tmp_path / "text").mkdir()
    return tmp_path


def refusal(folder: Path, *options: str | Path) -> tuple[str, str]:
    done = webbuild("pack", folder / "vision.onnx", "-o", folder / "out", "--no-verify", *options)
    assert done.code in (1, 2), done.stderr
    assert not (folder / "out").exists()
    return done.error, done.stderr


@pytest.mark.parametrize("sizes", ["n,t", "1,77"])
def test_the_text_encoder_ships_with_its_tokenizer_and_is_proven(folder: Path, sizes: str) -> None:
    text = text_encoder(folder / "text", sizes=sizes, mask=True)
    manifest = pack(folder / "vision.onnx", "--text", str(text), "--prompt", "a red cat", "--prompt", "a blue dog")
    assert isinstance(manifest.task, EmbedTask)
    assert manifest.text_encoder
    task = manifest.text_encoder.task
    assert isinstance(task, EmbedTask)
    assert task.text_input
    spec = task.text_input
    assert (spec.length, spec.padding, spec.texts) == (77, WORDS.index("<end>"), ["a red cat", "a blue dog"])
    assert (spec.logit_scale, spec.logit_bias) == (100.0, None)
    roles = [each.role for each in manifest.text_encoder.inputs if isinstance(each, PromptInput)]
    assert roles == ["input_ids", "attention_mask"]
    out = folder / "out"
    comparisons = json.loads((out / "report.json").read_text("utf-8"))["comparisons"]
    own = [each for each in comparisons if each["subject"]["sample"].endswith(("cat", "dog"))]
    assert {each["subject"]["quantity"] for each in own} == {"cosine distance", "rank"}
    assert verdicts(own) == {"OK"}
    golden = manifest.text_encoder.golden
    assert golden is not None
    vector = np.frombuffer((out / golden.outputs["text_embeds"]).read_bytes(), np.float32)
    ids = [1, *(WORDS.index(word) for word in golden.sample.partition(": ")[2].split()), 2]
    np.testing.assert_allclose(vector, TABLE[ids].sum(0) / 77, atol=1e-6)
    shipped = TextTokenizer((out / spec.tokenizer).read_text("utf-8"), "")
    assert shipped.encode([golden.sample.partition(": ")[2]]) == [ids]
    assert "tokenizer.json" in (out / "npm.js").read_text("utf-8")


def test_both_encoders_in_one_graph_are_taken_apart(folder: Path) -> None:
    manifest = pack(both_encoders(folder, scale=20.0))
    assert [each.name for each in manifest.inputs] == ["pixel_values"]
    assert [each.name for each in manifest.outputs] == ["image_embeds"]
    assert manifest.source.file == "model.image.onnx"
    assert manifest.text_encoder
    task = manifest.text_encoder.task
    assert isinstance(task, EmbedTask)
    assert task.text_input
    assert task.text_input.logit_scale == pytest.approx(20)
    assert {each.name for each in manifest.text_encoder.inputs} == {"input_ids", "attention_mask"}


def test_a_graph_with_no_file_beside_it_is_taken_apart_into_a_new_folder(folder: Path) -> None:
    model = both_encoders(folder, scale=20.0)
    for file in (each for each in folder.iterdir() if each.is_file() and each != model):
        file.unlink()
    found = split_encoders(model, folder / "encoders")
    assert found is not None
    assert all(each.is_file() for each in found)


def test_labels_make_a_classifier_of_one_graph(folder: Path) -> None:
    labels = folder / "labels.txt"
    labels.write_text("a cat\na dog\n")
    manifest = pack(both_encoders(folder, scale=20.0), "--labels", str(labels))
    assert isinstance(manifest.task, ClassifyTask)
    assert manifest.task.classes == ["a cat", "a dog"]
    assert not manifest.text_encoder


def test_one_graph_without_its_tokenizer_names_the_file_that_was_given(folder: Path) -> None:
    model = both_encoders(folder, scale=20.0)
    (folder / "tokenizer.json").unlink()
    done = webbuild("pack", model, "-o", folder / "out", "--no-verify")
    assert (done.code, done.error) == (1, "no-tokenizer"), done.stderr
    assert str(model) in done.stderr


def test_vectors_that_need_both_inputs_are_left_together(folder: Path) -> None:
    model = onnx.load(both_encoders(folder, scale=20.0))
    model.graph.node.append(onnx.helper.make_node("Cast", ["input_ids"], ["f"], to=onnx.TensorProto.FLOAT))
    model.graph.node.append(onnx.helper.make_node("ReduceMean", ["f"], ["mean"], keepdims=0))
    (last,) = (each for each in model.graph.node if "image_embeds" in each.output)
    last.output[0] = "apart"
    model.graph.node.append(onnx.helper.make_node("Add", ["apart", "mean"], ["image_embeds"]))
    save(model, folder / "model.onnx")
    assert split_encoders(folder / "model.onnx", folder) is None


def test_without_texts_the_encoder_is_tried_on_those_of_webbuild(folder: Path) -> None:
    manifest = pack(folder / "vision.onnx", "--text", str(text_encoder(folder / "text")))
    assert manifest.text_encoder
    task = manifest.text_encoder.task
    assert isinstance(task, EmbedTask)
    assert task.text_input
    tokenizer = TextTokenizer((folder / "text" / "tokenizer.json").read_text("utf-8"), "")
    lengths = [len(each) for each in tokenizer.encode(task.text_input.texts)]
    assert len(lengths) > 2
    assert max(lengths) == 77


def test_a_sigmoid_without_its_numbers_ships_without_a_score(folder: Path) -> None:
    text = text_encoder(folder / "text")
    (folder / "config.json").write_text('{"model_type": "siglip"}')
    manifest = pack(folder / "vision.onnx", "--text", str(text))
    assert manifest.text_encoder
    assert isinstance(manifest.text_encoder.task, EmbedTask)
    spec = manifest.text_encoder.task.text_input
    assert spec
    assert (spec.length, spec.logit_scale, spec.logit_bias) == (64, None, None)


def test_a_text_encoder_as_a_second_model_is_told_of_its_option(folder: Path) -> None:
    text = text_encoder(folder / "text")
    code, said = refusal(folder, text)
    assert code == "stages-not-joined"
    assert f"--text {text}" in said


def test_a_tokenizer_may_lie_elsewhere(folder: Path) -> None:
    text = text_encoder(folder / "text")
    assert refusal(folder, "--text", text, "--tokenizer", folder / "none.json")[0] == "no-tokenizer"
    (folder / "text" / "tokenizer.json").rename(folder / "other.json")
    assert refusal(folder, "--text", text)[0] == "no-tokenizer"
    pack(folder / "vision.onnx", "--text", str(text), "--tokenizer", str(folder / "other.json"))


def test_a_folder_with_both_encoders_is_one_model(folder: Path) -> None:
    both = folder / "my-clip"
    (both / "onnx").mkdir(parents=True)
    text_encoder(both / "onnx").rename(both / "onnx" / "text_model.onnx")
    (both / "onnx" / "tokenizer.json").rename(both / "tokenizer.json")
    save(encoder("image_embeds"), both / "onnx" / "vision_model.onnx")
    save(encoder("image_embeds"), both / "onnx" / "model.onnx")
    manifest = pack(both)
    assert manifest.name == "my-clip"
    assert manifest.source.file == "vision_model.onnx"
    assert manifest.text_encoder
    assert manifest.text_encoder.source.file == "text_model.onnx"
    (folder / "labels.txt").write_text("red\nblue dog")
    labelled = pack(both, "--labels", str(folder / "labels.txt"), "--force")
    assert (labelled.task, labelled.text_encoder) == (
        ClassifyTask(output="label_scores", classes=["red", "blue dog"], logits=True),
        msgspec.UNSET,
    )


def tokenizer_with(**changes: object) -> str:
    return json.dumps({**word_tokenizer(), **changes})


def words(count: int) -> dict[str, object]:
    model = word_tokenizer()["model"]
    assert isinstance(model, dict)
    return {**model, "vocab": {**model["vocab"], **{f"w{at}": len(WORDS) + at for at in range(count)}}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (tokenizer_with(model=words(1)), "its embedding has 13 rows, and the tokenizer 14 tokens"),
        (tokenizer_with(model={**words(0), "type": "WordLevel"}), "model WordLevel"),
        (tokenizer_with(pre_tokenizer={"type": "UnicodeScripts"}), "pre-tokenizer UnicodeScripts"),
        ("{}", "this tokenizer cannot be used"),
        ("[", "this tokenizer cannot be used"),
    ],
)  # fmt: skip
def test_another_tokenizer_is_refused(folder: Path, content: str, said: str) -> None:
    text = text_encoder(folder / "text")
    (folder / "text" / "tokenizer.json").write_text(content)
    code, message = refusal(folder, "--text", text)
    assert code == "tokenizer-mismatch"
    assert said in message


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--prompt", "cat " * 80), "invalid-labels"),
        (("--template", "a {}"), "conflicting-options"),
        (("--task", "classify"), "conflicting-options"),
    ],
)
def test_texts_that_do_not_fit_are_refused(folder: Path, options: tuple[str, ...], code: str) -> None:
    assert refusal(folder, "--text", text_encoder(folder / "text"), *options)[0] == code


def test_vectors_of_other_lengths_are_refused(folder: Path) -> None:
    code, said = refusal(folder, "--text", text_encoder(folder / "text", size=SIZE + 1))
    assert code == "text-mismatch"
    assert "embeddings of size 12, text.onnx of size 13" in said


def test_texts_that_are_all_alike_prove_nothing(folder: Path) -> None:
    code, _ = refusal(folder, "--text", text_encoder(folder / "text"), "--prompt", "zebra", "--prompt", "lion")
    assert code == "vacuous-comparison"


def test_a_text_encoder_of_a_fixed_batch_is_refused(folder: Path) -> None:
    code, said = refusal(folder, "--text", text_encoder(folder / "text", sizes="4,77"))
    assert code == "text-mismatch"
    assert "takes 4 texts at a time" in said
