"""An image encoder and a text encoder become a zero-shot classifier: scores equal NumPy's, and errors are clear."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from tests.colours import paint
from tests.commands.program import pack, webbuild
from tests.compared import of_pictures, verdicts
from tests.embedding_models import SIZE, WORDS, encoder, text_encoder
from tests.models import save, weights
from webbuild.manifest.manifest import ClassifyTask, Manifest

pytestmark = pytest.mark.usefixtures("stand_in")

LABELS = ("red", "green dog", "blue cat")
TABLE = weights(len(WORDS), SIZE, seed=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    paint(tmp_path / "samples")
    save(encoder("image_embeds"), tmp_path / "vision.onnx")
    (tmp_path / "labels.txt").write_text("\n".join(LABELS))
    (tmp_path / "text").mkdir()
    return tmp_path


def words(folder: Path, text: Path, *options: str) -> tuple[str, ...]:
    return ("--text", str(text), "--labels", str(folder / "labels.txt"), *options)


def sample(folder: Path) -> tuple[str, str]:
    return "--sample", str(folder / "samples" / "red.png")


def refusal(folder: Path, *options: str) -> tuple[str, str]:
    done = webbuild("pack", folder / "vision.onnx", "-o", folder / "out", "--no-verify", *options)
    assert done.code in (1, 2), done.stderr
    assert not (folder / "out").exists()
    return done.error, done.stderr


def embedded(texts: Sequence[str], length: int) -> NDArray[Any]:
    """Compute the text encoder by hand: the mean over all tokens, normalized to length 1."""
    rows = []
    for each in texts:
        ids = [1, *(WORDS.index(word) if word in WORDS else 3 for word in each.split()), 2]
        rows.append(TABLE[ids + [2] * (length - len(ids))].mean(0, dtype=np.float64))
    result: NDArray[Any] = np.stack(rows) / np.linalg.norm(rows, axis=1, keepdims=True)
    return result


def cosines(manifest: Manifest, out: Path, templates: Sequence[str], length: int) -> NDArray[Any]:
    """Return the cosines of the golden image with all labels; its embedding is from a pack without labels."""
    pack(out.parent / "vision.onnx", "--force", *sample(out.parent))
    golden = json.loads((out / "manifest.json").read_text())["golden"]
    raw = np.frombuffer((out / golden["outputs"]["image_embeds"]).read_bytes(), np.float32).astype(np.float64)
    means = [embedded([each.replace("{}", label) for each in templates], length).mean(0) for label in LABELS]
    units = np.stack(means) / np.linalg.norm(means, axis=1, keepdims=True)
    result: NDArray[Any] = units @ (raw / np.linalg.norm(raw))
    return result


def golden_scores(manifest: Manifest, out: Path) -> NDArray[Any]:
    assert manifest.golden is not None
    return np.frombuffer((out / manifest.golden.outputs["label_scores"]).read_bytes(), np.float32)


@pytest.mark.parametrize("sizes", ["n,t", "n,77", "1,77", "4,77"])
def test_pictures_are_classified_into_labels_with_templates(folder: Path, sizes: str) -> None:
    templates = ("a photo of a {}", "a picture of a {}")
    text = text_encoder(folder / "text", sizes=sizes)
    manifest = pack(
        folder / "vision.onnx", *words(folder, text, "--template", templates[0], "--template", templates[1])
    )
    assert manifest.task == ClassifyTask(output="label_scores", classes=list(LABELS), logits=True)
    out = folder / "out"
    assert not list(out.rglob("*text*"))
    comparisons = json.loads((out / "report.json").read_text("utf-8"))["comparisons"]
    assert verdicts(of_pictures(comparisons)) == {"OK"}
    assert any("padded to 77 tokens with <end>" in each for each in manifest.assumptions)
    assert any("softmax(100 * cosine), logit_scale is CLIP's" in each for each in manifest.assumptions)
    got = golden_scores(manifest, out)
    np.testing.assert_allclose(got, 100 * cosines(manifest, out, templates, 77), rtol=0, atol=1e-3)


def test_siglip_judges_each_label_by_itself(folder: Path) -> None:
    text = text_encoder(folder / "text")
    (folder / "text" / "config.json").write_text('{"model_type": "siglip_text_model"}')
    (folder / "config.json").write_text('{"model_type": "siglip"}')
    assert refusal(folder, *words(folder, text))[0] == "unknown-logit-scale"
    logits = ("--logit-scale", "4", "--logit-bias", "-1.5")
    manifest = pack(folder / "vision.onnx", *words(folder, text, *logits, *sample(folder)))
    assert manifest.task == ClassifyTask(output="label_scores", classes=list(LABELS), logits=False)
    assert any("sigmoid(4 * cosine - 1.5), as the options say" in each for each in manifest.assumptions)
    got = golden_scores(manifest, folder / "out")
    want = 1 / (1 + np.exp(1.5 - 4 * cosines(manifest, folder / "out", ("{}",), 64)))
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-5)


def test_the_scale_is_read_from_the_weights(folder: Path) -> None:
    text = text_encoder(folder / "text", mask=True)
    model = onnx.load(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(np.log(20), np.float32), "model.logit_scale"))
    manifest = pack(folder / "vision.onnx", *words(folder, save(model, text)))
    assert any("softmax(20 * cosine), as the weights say" in each for each in manifest.assumptions)


@pytest.mark.parametrize(
    ("labels", "options", "code", "said"),
    [
        ("", (), "unreadable-labels", "holds no labels"),
        ("red\nblue\nred", (), "invalid-labels", "'red' is there twice"),
        ("red\n\nblue", (), "unreadable-labels", "line 2 is empty"),
        ("red\nblue", ("--template", "a photo"), "invalid-template", "has no {}"),
        ("red\n" + "dog " * 80, (), "invalid-labels", "82 tokens, the text encoder takes 77"),
        ("zebra\nlion", (), "text-mismatch", "'zebra' and 'lion' the same vector"),
        ("red\nblue", ("--task", "detect"), "conflicting-options", "--text"),
    ],
)
def test_bad_labels_are_refused(folder: Path, labels: str, options: tuple[str, ...], code: str, said: str) -> None:
    text = text_encoder(folder / "text")
    (folder / "labels.txt").write_text(labels)
    got, message = refusal(folder, *words(folder, text, *options))
    assert got == code
    assert said in message


def test_encoders_that_do_not_belong_together_are_refused(folder: Path) -> None:
    other = text_encoder(folder / "text", size=SIZE + 1)
    code, said = refusal(folder, *words(folder, other))
    assert code == "text-mismatch"
    assert "12 numbers, and a vector of the text encoder 13" in said
    assert refusal(folder, *words(folder, folder / "vision.onnx"))[0] == "text-mismatch"
    text = text_encoder(folder / "text")
    (folder / "text" / "tokenizer.json").write_text("{}")
    assert refusal(folder, *words(folder, text))[0] == "tokenizer-mismatch"
    (folder / "text" / "tokenizer.json").unlink()
    assert refusal(folder, *words(folder, text))[0] == "no-tokenizer"


@pytest.mark.parametrize(
    "options", [("--template", "a {}"), ("--logit-scale", "5"), ("--logit-bias", "5"), ("--tokenizer", "x.json")]
)
def test_options_about_words_belong_together(folder: Path, options: tuple[str, ...]) -> None:
    assert refusal(folder, *options)[0] == "conflicting-options"
