"""Detectors that take a prompt: packed with their tokenizer, proven on prompts, refused with a fix."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.commands.program import pack, refused, webbuild
from tests.compared import Json, outputs, verdicts
from tests.prompted import QUERIES, original, transformers, with_words
from webbuild.manifest.manifest import GroundingTask, Manifest, PromptInput
from webbuild.preprocess.prompt import prompt_feeds, tokenize_prompt
from webbuild.preprocess.wordpiece import WordpieceTokenizer
from webbuild.runners.native import NativeRunner

pytestmark = pytest.mark.usefixtures("stand_in")

ASK = ("--prompt", "red circle . blue square .")


def task_of(manifest: Manifest) -> GroundingTask:
    assert isinstance(manifest.task, GroundingTask)
    return manifest.task


def comparisons(folder: Path) -> list[Json]:
    found: list[Json] = json.loads((folder / "out" / "report.json").read_bytes())["comparisons"]
    return found


@pytest.mark.parametrize("make", [transformers, original])
def test_both_interfaces_are_packed_for_256_tokens_and_proven(make: object, tmp_path: Path) -> None:
    assert callable(make)
    manifest = pack(with_words(make(), tmp_path / "m.onnx", "tokenizer.json"), *ASK)
    task = task_of(manifest)
    assert (task.queries, task.max_tokens, task.prompts) == (QUERIES, 256, [ASK[1]])
    roles = {spec.role: spec.shape for spec in manifest.inputs if isinstance(spec, PromptInput)}
    assert roles["input_ids"] == [1, 256]
    assert ("self_attention_mask" in roles) == (make is original)
    assert "pixel_mask" not in {spec.name for spec in manifest.inputs}
    assert verdicts(comparisons(tmp_path)) == {"OK"}
    assert outputs(comparisons(tmp_path)) == {"logits", task.boxes, "phrases", "score", "box"}
    assert {sample.prompt for sample in manifest.samples} == {ASK[1]}
    assert json.loads((tmp_path / "out" / "tokenizer.json").read_bytes())["model"]["type"] == "WordPiece"
    assert (tmp_path / "out" / "tokenizer.json").name in {file.path for file in manifest.files}


def test_a_vocabulary_alone_is_enough_and_gives_the_same(tmp_path: Path) -> None:
    for name in ("tokenizer.json", "vocab.txt"):
        folder = tmp_path / name.partition(".")[0]
        pack(with_words(transformers(), folder / "m.onnx", name), *ASK)
    first, second = ((tmp_path / name / "out" / "tokenizer.json").read_bytes() for name in ("tokenizer", "vocab"))
    assert json.loads(first) == json.loads(second)


def test_the_length_that_is_asked_for_is_the_most_a_prompt_may_have(tmp_path: Path) -> None:
    model = with_words(original(), tmp_path / "m.onnx", "vocab.txt")
    manifest = pack(model, *ASK, "--dim", "seq_len=10")
    assert task_of(manifest).max_tokens == 10
    done = webbuild("pack", model, "--prompt", "red circle . blue square . star .", "--dim", "seq_len=9")
    assert refused_with(done) == "error[invalid-prompt] the prompt has 10 tokens, and the model takes 9"


def test_the_example_is_cut_to_what_the_model_takes(tmp_path: Path) -> None:
    model = with_words(original(), tmp_path / "m.onnx", "vocab.txt")
    whole = task_of(pack(model)).prompts
    (cut,) = task_of(pack(model, "--dim", "seq_len=8", "--force")).prompts
    assert whole == ["person . dog . cat . car . chair ."]
    assert cut == "person . dog . cat ."


def refused_with(done: object) -> str:
    text = str(getattr(done, "stderr", ""))
    return next(line for line in text.splitlines() if line.startswith("error["))


def test_prompts_beside_the_samples_are_taken_in_turn(tmp_path: Path) -> None:
    model = with_words(transformers(), tmp_path / "m.onnx", "vocab.txt")
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "prompts.txt").write_text("red star .\n\n  blue circle . \n", "utf-8")
    manifest = pack(model)
    assert task_of(manifest).prompts == ["red star .", "blue circle ."]


def test_short_and_long_prompts_are_proven_too(tmp_path: Path) -> None:
    pack(with_words(transformers(), tmp_path / "m.onnx", "vocab.txt"), *ASK)
    samples = {each["subject"]["sample"] for each in comparisons(tmp_path)}
    assert {"(noise)", "(grey)"} <= samples


def test_the_bundles_graph_answers_prompts_of_any_length_as_the_original(tmp_path: Path) -> None:
    model = with_words(original(), tmp_path / "m.onnx", "vocab.txt")
    manifest = pack(model, *ASK)
    graph = next(graph for graph in manifest.graphs if graph.target == "wasm")
    packed, free = NativeRunner(tmp_path / "out" / graph.file), NativeRunner(model)
    reader = WordpieceTokenizer((tmp_path / "out" / "tokenizer.json").read_text("utf-8"))
    picture = {"img": np.random.default_rng(0).random((1, 3, 32, 32), np.float32)}
    for words in (1, 6, 50):
        prompt = tokenize_prompt(["star", "circle", "square"][:1] * words, reader, task_of(manifest))
        fed = prompt_feeds(manifest.inputs, task_of(manifest), prompt)
        count = len(prompt.ids)
        cut = {name: tensor[(slice(None), *[slice(count)] * (tensor.ndim - 1))] for name, tensor in fed.items()}
        want, got = free.run({**picture, **cut}), packed.run({**picture, **fed})
        np.testing.assert_allclose(got["logits"][..., :count], want["logits"], rtol=0, atol=1e-4)
        assert np.isneginf(got["logits"][..., count:]).all()


@pytest.mark.parametrize(
    ("names", "code"), [((), "no-tokenizer"), (("broken",), "tokenizer-mismatch")], ids=["none", "of another kind"]
)
def test_without_its_tokenizer_it_is_refused(names: tuple[str, ...], code: str, tmp_path: Path) -> None:
    model = with_words(transformers(), tmp_path / "m.onnx")
    if names:
        (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"type": "Unigram", "vocab": []}}), "utf-8")
    assert refused(model) == code
    assert not (tmp_path / "out").exists()


def test_a_graph_whose_words_are_wrong_is_not_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = with_words(transformers(), tmp_path / "m.onnx", "vocab.txt")
    run = NativeRunner.run

    def wrong(self: NativeRunner, feeds: object) -> object:
        outputs = run(self, feeds)  # type: ignore[arg-type]
        if self.path.parent.name == "model" and "logits" in outputs:
            outputs["logits"] = np.roll(outputs["logits"], 1, axis=1)
        return outputs

    monkeypatch.setattr(NativeRunner, "run", wrong)
    assert refused(model) == "output-mismatch"


def test_infinite_on_one_side_only_is_a_difference(tmp_path: Path) -> None:
    model = transformers()
    (nothing,) = [tensor for tensor in model.graph.initializer if tensor.name == "nothing"]
    assert onnx.numpy_helper.to_array(nothing) == -np.inf
    manifest = pack(with_words(model, tmp_path / "m.onnx", "vocab.txt"), *ASK)
    assert manifest.golden is not None
    recorded = (tmp_path / "out" / manifest.golden.outputs["logits"]).read_bytes()
    assert np.isneginf(np.frombuffer(recorded, "<f4")).sum() == QUERIES * (256 - 8)
