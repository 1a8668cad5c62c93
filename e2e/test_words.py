"""An image encoder with its text encoder, from their ONNX files to a text search over images."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from e2e.long_task import longest_task_allowed
from tests.colours import paint
from tests.compared import compared
from tests.embedding_models import SIZE, WORDS, encoder, text_encoder
from tests.models import save, weights
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.reporting.progress import ProgressReporter
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.embed_pictures import embed_pictures

ASK = """async () => {
  const { load, similar } = await import("./vision.js");
  const model = await load({ backend: "wasm" });
  const before = model.info().text;
  const cat = await model.embedText("a cat");
  const dogs = await model.embedText(["a dog"], { templates: ["{}", "a red {}"] });
  const picture = await (await fetch("samples/red.png")).blob();
  const { embedding } = await model.run(picture);
  const index = { vectors: embedding, names: ["red.png"], dimension: embedding.length };
  const auto = await load();
  await auto.loadText();
  const choice = auto.info().text.choice.reason;
  await auto.dispose();
  const failed = async (work) => work().then(() => "", ({ code, message }) => `${code}: ${message}`);
  return {
    before, choice, after: model.info().text.name, cat: [...cat], dog: [...dogs[0]], embedding: [...embedding],
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


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Write images of different colours to a folder and a subfolder, and a file that is no image."""
    random = np.random.default_rng(3)
    (tmp_path / "photos" / "more").mkdir(parents=True)
    for at in range(8):
        rgb = random.integers(0, 256, (6, 9, 3), np.uint8)
        Image.fromarray(rgb).resize((180, 120)).save(tmp_path / "photos" / ("more" if at % 2 else ".") / f"{at}.png")
    (tmp_path / "photos" / "broken.png").write_text("no picture")
    (tmp_path / "photos" / "notes.txt").write_text("no picture either")
    return tmp_path / "photos"


def ranked(worded: Path, photos: Path, text: str) -> list[str]:
    """Return the images sorted by their cosine with a text, computed in Python."""
    names, vectors = embed_pictures(open_bundle(worded), photos, sorted(photos.rglob("?.png")), ProgressReporter())
    return [names[at] for at in np.argsort(-(vectors @ vector(text)), kind="stable")]


LONGEST_TASK = """() => {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: "longtask" });
}"""


def test_words_find_pictures_of_a_folder_that_stays_on_the_device(
    demo: DemoPage, worded: Path, photos: Path, tmp_path: Path
) -> None:
    demo.wait_until_idle()
    page, found, status = demo.page, demo.at("search-found").locator("li"), demo.at("search-status")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    assert 'const words = await model.embedText("a' in page.locator("#snippet").inner_text()
    demo.at("search-folder").set_input_files(photos)
    expect(status).to_have_text("Ready: 8 pictures to search; 1 could not be read")
    demo.at("search-words").focus()
    page.keyboard.type("a red cat")
    page.keyboard.press("Enter")
    expect(status).to_have_text("8 of 8 pictures, the best first")
    best = ranked(worded, photos, "a red cat")
    assert found.locator("canvas").evaluate_all("all => all.map((each) => each.ariaLabel)") == [
        f"photos/{name}" for name in best
    ]
    demo.at("search-words").fill("a blue dog")
    demo.at("search-go").click()
    other = ranked(worded, photos, "a blue dog")[0]
    expect(found.first.locator("canvas")).to_have_attribute("aria-label", f"photos/{other}")
    expect(found.first.locator("canvas")).to_have_js_property("width", 120)
    assert [each for each in asked if not each.startswith("GET ")] == []
    assert demo.overflow() == 0
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert demo.overflow() == 0
    page.screenshot(path=tmp_path / "narrow.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.screenshot(path=tmp_path / "wide.png", full_page=True)


VISITS = 3
"""One visit without a long task is enough: the code would cause one in each visit, the machine only in some."""


@pytest.mark.alone
def test_embedding_a_folder_and_searching_it_take_no_long_task(demo: DemoPage, photos: Path) -> None:
    demo.wait_until_idle()
    demo.page.evaluate(LONGEST_TASK)
    longest = []
    for visit in range(VISITS):
        photos = photos.rename(photos.with_name(f"visit-{visit}"))
        demo.page.evaluate("() => { longest = 0; }")
        demo.at("search-folder").set_input_files(photos)
        expect(demo.at("search-status")).to_contain_text("1 could not be read")
        demo.at("search-words").fill(f"a cat {visit}")
        demo.at("search-go").click()
        expect(demo.at("search-status")).to_contain_text("the best first")
        longest.append(demo.page.evaluate("longest"))
    assert min(longest) < longest_task_allowed(demo.page), longest


MANY = """async () => {
  const { similar } = await import("./vision.js");
  const [count, dimension, workers] = [30_000, 64, []];
  globalThis.Worker = class extends Worker {
    constructor(url, options) { super(url, options); workers.push(options.name); }
  };
  const vectors = Float32Array.from({ length: count * dimension }, (_, at) => Math.sin(at * at));
  const query = vectors.slice(4_321 * dimension, 4_322 * dimension);
  const index = { vectors, names: Array.from({ length: count }, (_, at) => `${at}.jpg`), dimension };
  const found = await similar(index, query, 3);
  return { workers, found: found.map(({ name }) => name), same: (await similar(index, query, 3))[0].name };
}"""


def test_a_large_index_is_searched_in_a_worker(demo: DemoPage) -> None:
    said = demo.page.evaluate(MANY)
    assert said["workers"] == ["webbuild-search"]
    assert (said["found"][0], said["same"], len(said["found"])) == ("4321.jpg", "4321.jpg", 3)


STOP_AT_ONCE = """() => {
  const stop = document.getElementById("search-stop");
  new MutationObserver(() => stop.click()).observe(stop, { attributes: true });
}"""


def test_embedding_is_stopped_by_a_button(demo: DemoPage, photos: Path) -> None:
    demo.page.evaluate(STOP_AT_ONCE)
    many = [*photos.rglob("?.png")]
    for at in range(40):
        many.append(photos / f"copy-{at}.png")
        many[-1].write_bytes(many[at].read_bytes())
    demo.at("search-files").set_input_files(many)
    expect(demo.at("search-status")).to_contain_text("Stopped at ")
    expect(demo.at("search-stop")).to_be_hidden()


def vector(*texts: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Compute the text encoder by hand: the sum over a text's tokens; for several texts the mean of unit vectors."""
    table = weights(len(WORDS), SIZE, seed=3).astype(np.float64)
    sums = [table[[1, *(WORDS.index(word) for word in text.split()), 2]].sum(0) for text in texts]
    mean = np.mean([each / np.linalg.norm(each) for each in sums], axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def test_words_become_vectors_and_labels_are_ranked(demo: DemoPage) -> None:
    said = demo.page.evaluate(ASK)
    assert (said["before"], said["after"]) == (None, "text")
    assert said["choice"] == "the backends of a text encoder are not compared"
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


CLASSIFY = """async ([sample, labels]) => {
  const { load } = await import(new URL("vision.js", document.baseURI));
  const model = await load({ backend: "wasm" });
  const file = document.querySelector(`[data-testid=sample-${sample}]`).dataset.file;
  const scores = await model.classify(await (await fetch(file)).blob(), labels);
  await model.dispose();
  return scores.map(({ label, score }) => `${label} ${(100 * score).toFixed(1)} %`);
}"""


def test_the_picture_on_show_is_classified_by_own_words(open_page: Open, without_gpu: Browser, served: Server) -> None:
    demo = open_page(without_gpu, f"{served.url}#labels=a+cat%2Ca+dog", viewport={"width": 360, "height": 900})
    demo.wait_until_idle()
    page, rows, status = demo.page, demo.at("labels-results").locator("li"), demo.at("labels-status")
    assert demo.at("labels").input_value() == "a cat,a dog"

    def shown() -> list[str]:
        return [" ".join(each.split()) for each in rows.all_inner_texts()]

    expect(rows).to_have_count(2)
    assert shown() == page.evaluate(CLASSIFY, [0, ["a cat", "a dog"]])
    demo.at("labels").fill("a red cat\na blue dog, green")
    demo.at("classify").click()
    expect(rows).to_have_count(3)
    demo.show(1)
    labels = ["a red cat", "a blue dog", "green"]
    best = page.evaluate(CLASSIFY, [1, labels])
    expect(rows.first).to_contain_text(best[0].split()[-2])
    assert shown() == best
    demo.at("copy-link").click()
    page.wait_for_url("**/#labels=a+red+cat%2C+a+blue+dog%2C+green&sample=*")
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert demo.overflow() == 0
        assert violations(page) == []
    demo.at("labels").fill("cat " * 80)
    demo.at("classify").click()
    expect(status).to_contain_text("82 tokens")
    expect(rows).to_have_count(0)
