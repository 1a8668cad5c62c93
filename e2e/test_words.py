"""An image encoder with its text encoder, from their ONNX files to words over pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from tests.colours import paint
from tests.compared import compared
from tests.embedding_models import SIZE, WORDS, encoder, text_encoder
from tests.models import save, weights
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

ASK = """async () => {
  const { load, similar } = await import("./vision.js");
  const model = await load({ backend: "wasm" });
  const before = model.info().text;
  const cat = await model.embedText("a cat");
  const dogs = await model.embedText(["a dog"], { templates: ["{}", "a red {}"] });
  const picture = await (await fetch("samples/red.png")).blob();
  const { embedding } = await model.run(picture);
  const index = { vectors: embedding, names: ["red.png"], dimension: embedding.length };
  const failed = async (work) => work().then(() => "", ({ code, message }) => `${code}: ${message}`);
  return {
    before, after: model.info().text.name, cat: [...cat], dog: [...dogs[0]], embedding: [...embedding],
    similar: await similar(index, cat, 1), labels: await model.classify(picture, ["a cat", "a dog"]),
    long: await failed(() => model.embedText("cat ".repeat(80))), none: await failed(() => model.embedText("")),
    twice: await failed(() => model.classify(picture, ["a", "a"])),
  };
}"""


@pytest.fixture(scope="module")
def worded(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words")
    paint(folder / "samples")
    (folder / "text").mkdir()
    text, out = text_encoder(folder / "text", mask=True), folder / "out"
    vision = save(encoder("image_embeds"), folder / "vision.onnx")
    done = webbuild("pack", vision, "--text", text, "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(worded: Path) -> Iterator[Server]:
    with Server(worded) as server:
        yield server


@pytest.fixture(scope="module")
def demo(keep_page: Open, without_gpu: Browser, served: Server) -> DemoPage:
    return keep_page(without_gpu, served.url, viewport={"width": 1280, "height": 900})


def test_both_encoders_agree_with_native_on_both_backends(
    webbuild: Webbuild, worded: Path, webgpu: BrowserHandle
) -> None:
    done = webbuild("verify", worded, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    runs = {run["backend"]: run["results"] for run in report["backends"]}
    assert set(runs) == {"webgpu", "wasm", "webgpu text", "wasm text"}
    for name in ("webgpu text", "wasm text"):
        judged = [each for result in runs[name] for each in result["comparisons"]]
        assert {compared(each) for each in judged} == {"cosine distance", "rank"}
        assert {each["subject"]["stage"] for each in judged} == {"raw", "decoded"}
        assert {each["verdict"] for each in judged} == {"OK"}


def vector(*texts: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The text encoder, by hand: the sum over the tokens of a text; of several the mean of unit vectors."""
    table = weights(len(WORDS), SIZE, seed=3).astype(np.float64)
    sums = [table[[1, *(WORDS.index(word) for word in text.split()), 2]].sum(0) for text in texts]
    mean = np.mean([each / np.linalg.norm(each) for each in sums], axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def test_words_become_vectors_and_labels_are_ranked(demo: DemoPage) -> None:
    said = demo.page.evaluate(ASK)
    assert (said["before"], said["after"]) == (None, "text")
    np.testing.assert_allclose(said["cat"], vector("a cat"), atol=1e-6)
    np.testing.assert_allclose(said["dog"], vector("a dog", "a red a dog"), atol=1e-6)
    cosines = [float(np.dot(vector(each), said["embedding"])) for each in ("a cat", "a dog")]
    assert said["similar"][0]["cosine"] == pytest.approx(cosines[0], abs=1e-6)
    assert {each["label"]: each["cosine"] for each in said["labels"]} == pytest.approx(
        {"a cat": cosines[0], "a dog": cosines[1]}, abs=1e-6
    )
    powers = np.exp(100 * (np.array(cosines) - max(cosines)))
    assert said["labels"][0]["score"] == pytest.approx(max(powers / powers.sum()), abs=1e-3)
    assert said["long"].startswith("invalid-prompt: ")
    assert "82 tokens" in said["long"]
    assert said["none"].startswith("invalid-prompt: ")
    assert said["twice"].startswith("invalid-prompt: ")
