"""An image encoder packs, is proven by cosines and ranks, and is refused where these carry no signal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.colours import paint
from tests.commands.program import pack, refused
from tests.compared import of_pictures, verdicts
from tests.embedding_models import SIZE, TOKENS, encoder
from tests.models import save
from webbuild.manifest.manifest import EmbedTask, ImageInput

pytestmark = pytest.mark.usefixtures("stand_in")


def test_an_encoder_packs_with_its_pooling_and_its_preprocessing_said(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    (tmp_path / "config.json").write_text('{"model_type": "dinov2"}')
    manifest = pack(save(encoder(), tmp_path / "vision.onnx"))
    assert manifest.task == EmbedTask(output="last_hidden_state", size=SIZE, tokens=TOKENS, pooling="cls")
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert image.letterbox.mode == "crop"
    assert any("the first token, CLS, of output 'last_hidden_state'" in each for each in manifest.assumptions)
    assert any("as for DINO" in each for each in manifest.assumptions)
    out = tmp_path / "out"
    comparisons = json.loads((out / "report.json").read_text("utf-8"))["comparisons"]
    assert verdicts(of_pictures(comparisons)) == {"OK"}
    assert {each["subject"]["quantity"] for each in comparisons} == {"cosine distance", "rank"}
    assert "the first token, CLS" in (out / "report.html").read_text("utf-8")
    assert 'id="vector"' in (out / "index.html").read_text("utf-8")


def test_a_vector_is_taken_before_the_tokens_and_the_rest_is_compared_as_it_is(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    manifest = pack(save(encoder("last_hidden_state image_embeds"), tmp_path / "vision.onnx"))
    assert manifest.task == EmbedTask(output="image_embeds", size=SIZE, tokens=1, pooling="none")


def test_vectors_of_zeros_prove_nothing(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    assert refused(save(encoder(scale=0.0), tmp_path / "vision.onnx")) == "vacuous-comparison"


def test_one_vector_for_all_pictures_proves_nothing(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    model = encoder("image_embeds")
    (weight,) = [each for each in model.graph.initializer if each.name == "weight"]
    weight.raw_data = np.zeros((SIZE, 3, 4, 4), np.float32).tobytes()
    model.graph.node[3].op_type = "Cos"  # of zeros: 1 everywhere
    assert refused(save(model, tmp_path / "vision.onnx")) == "vacuous-comparison"


def test_task_embed_is_for_what_fits(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    model = save(encoder("output"), tmp_path / "m.onnx")
    assert pack(model, "--task", "embed").task == EmbedTask(output="output", size=SIZE, tokens=1, pooling="none")
