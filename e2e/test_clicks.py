"""Clicks on an image: one encoder run, then masks for prompts, equal to native ONNX Runtime and Python."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from e2e.accessibility import axe_violations, violations
from e2e.conftest import BLANK, Open, Webbuild
from e2e.demo_page import DemoPage
from e2e.long_task import longest_task_allowed
from e2e.pasted import run_pasted
from tests.click_models import click_pair
from webbuild.browser.bidi import BidiPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.page_assets import load_page_assets
from webbuild.browser.server import Server
from webbuild.browser.tracing import MainThreadTask, main_thread_tasks
from webbuild.manifest.manifest import ImageInput, Manifest, MaskGenerationTask, decode
from webbuild.preprocess.image import image_to_tensor, load_image
from webbuild.preprocess.point_prompt import PointPrompt, point_prompt_feeds, point_tokens
from webbuild.runners.native import NativeRunner
from webbuild.tasks.mask_generation import TASK, PromptedMasks
from webbuild.tasks.run_context import RunContext
from webbuild.verify.page_rpc import URL_PREFIX
from webbuild.verify.pipeline_page_runner import prompt_options

PROMPTS: Mapping[str, PointPrompt] = {
    "a click": PointPrompt([(130.0, 90.0)], [1], multimask=True),
    "clicks": PointPrompt([(130.0, 90.0), (20.0, 30.0), (250.0, 140.0)], [1, 0, 1]),
    "a box": PointPrompt([], [], (30.0, 20.0, 200.0, 150.0)),
    "a click in a box": PointPrompt([(130.0, 90.0)], [1], (30.0, 20.0, 200.0, 150.0)),
}
ASK = """async ([backend, sample, prompts]) => {
  const { load } = await import(new URL("click.js", document.baseURI).href);
  const { base64 } = await import("/__webbuild__/base64.js");
  const model = await load({ backend });
  const picture = await (await fetch(new URL(sample, document.baseURI))).blob();
  const scene = await model.look(picture);
  const answers = [];
  for (const prompt of prompts) {
    try {
      const { masks, best, postprocess, logits } = await scene.segment(prompt);
      const found = [];
      for (const { mask, score, box } of masks) found.push({ mask: await base64(mask), score, box });
      answers.push({ masks: found, best, path: postprocess.path, logits: Array.from(logits.data) });
    } catch ({ code, message, fix }) {
      answers.push({ code, message, fix });
    }
  }
  const first = await scene.segment(prompts[0]);
  const again = await scene.segment({ ...prompts[0], mask: first.logits, multimask: false });
  await scene.release();
  await model.dispose();
  return { answers, refined: Array.from(again.logits.data) };
}"""

SCRIPTS = load_page_assets("webbuild.verify", ("runner.js",), URL_PREFIX)
COLLECT = """<script>
  globalThis.results = [];
  document.querySelector("web-model").addEventListener("result", ({ detail }) => results.push(detail));
</script>"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clicks")
    done = webbuild("pack", *click_pair(folder), "-o", folder / "click", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "click"


CHOOSE = """async (sample) => {
  const { load } = await import(new URL("click.js", document.baseURI).href);
  const model = await load();
  const scene = await model.look(await (await fetch(new URL(sample, document.baseURI))).blob());
  const click = { x: 130, y: 90 };
  const prompts = [{ points: [click] }, { points: [click, { x: 250, y: 140 }], labels: [1, 0] }];
  const ask = async (prompt) => Array.from((await scene.segment(prompt)).logits.data);
  const stages = () => model.info().stages.map(({ name, backend, choice }) => ({ name, backend, choice }));
  const first = [await ask(prompts[1]), await ask(prompts[0])];
  for (let clicks = 0; clicks < 3; clicks++) await ask(prompts[0]);
  const before = stages();
  const end = Date.now() + 60_000;
  while (stages()[1].choice.times === null && Date.now() < end) await new Promise((done) => setTimeout(done, 100));
  await new Promise((done) => setTimeout(done, 500));
  const after = stages();
  const second = [await ask(prompts[1]), await ask(prompts[0])];
  const { warnings } = model;
  await model.dispose();
  const next = await load();
  const visit = next.info().stages[1];
  await next.dispose();
  return { first, second, before, after, warnings, visit: [visit.backend, visit.choice.reason] };
}"""


def test_a_decoder_goes_where_it_is_faster(packed: Path, webgpu: BrowserHandle) -> None:
    sample = decode((packed / "manifest.json").read_bytes()).samples[0].file
    with Server(packed) as server, webgpu.page() as (page, _):
        page.goto(f"{server.url}report.html")
        found = page.evaluate(CHOOSE, sample)
    assert [each["backend"] for each in found["before"]] == ["webgpu", "webgpu"]
    encoder, decoder = found["after"]
    assert encoder["backend"] == "webgpu"
    times = {name: sorted(each)[1:-1] for name, each in decoder["choice"]["times"].items()}
    clear = times["wasm"][-1] < 0.8 * times["webgpu"][0]
    assert decoder["backend"] == ("wasm" if clear else "webgpu"), times
    assert "a run here" in decoder["choice"]["reason"]
    assert found["visit"] == [decoder["backend"], decoder["choice"]["reason"]]
    assert found["warnings"] == []
    for after, before in zip(found["second"], found["first"], strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_prompts_are_answered_as_in_python(packed: Path, webgpu: BrowserHandle, backend: str) -> None:
    manifest = decode((packed / "manifest.json").read_bytes())
    sample = manifest.samples[0].file
    outside = {"points": [{"x": 1e4, "y": 1}]}
    many = {"points": [{"x": 1, "y": 1}] * 9}
    given = [*(prompt_options(each) for each in PROMPTS.values()), outside, many, {}]
    with Server(packed, virtual=SCRIPTS) as server, webgpu.page() as (page, _):
        page.goto(f"{server.url}report.html")
        found = page.evaluate(ASK, [backend, sample, given])
    *answers, beyond, long, empty = found["answers"]
    for prompt, answer in zip(PROMPTS.values(), answers, strict=True):
        same_masks(native(packed, manifest, prompt), answer)
        assert answer["path"] == ("gpu" if backend == "webgpu" else "cpu")
    assert beyond["code"] == long["code"] == empty["code"] == "invalid-prompt"
    assert "outside of the picture" in beyond["message"]
    assert "the model takes 2 to 9" in long["message"]
    assert "the prompt is empty" in empty["message"]
    first = native(packed, manifest, PROMPTS["a click"])
    refined = native(packed, manifest, PointPrompt([(130.0, 90.0)], [1], mask=first.logits))
    np.testing.assert_allclose(found["refined"], refined.logits.ravel(), rtol=1e-3, atol=1e-3)


def test_firefox_answers_prompts_as_in_python(packed: Path, firefox_webgpu: BidiPage) -> None:
    manifest = decode((packed / "manifest.json").read_bytes())
    given = [prompt_options(each) for each in PROMPTS.values()]
    with Server(packed, virtual=BLANK | SCRIPTS) as server:
        firefox_webgpu.goto(f"{server.url}blank.html")
        found = firefox_webgpu.evaluate(ASK, ["webgpu", manifest.samples[0].file, given])
    for prompt, answer in zip(PROMPTS.values(), found["answers"], strict=True):
        same_masks(native(packed, manifest, prompt), answer)
        assert answer["path"] == "gpu"
    assert firefox_webgpu.console.complaints == []


def test_verify_encodes_each_picture_once_for_all_prompts(
    webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = webbuild("pack", *click_pair(tmp_path), "--dim", "num_points=2", "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    done = webbuild("verify", out, "--json")
    assert done.returncode == 0, done.stdout
    whole = [run for run in json.loads(done.stdout)["backends"] if run["promptCost"]]
    assert [run["backend"] for run in whole] == ["wasm whole", "webgpu whole"]
    for run in whole:
        cost, judged = run["promptCost"], [each for result in run["results"] for each in result["comparisons"]]
        assert (cost["pictures"], cost["prompts"], cost["earlierRuns"]) == (2, 6, 0)
        assert {(each["subject"]["stage"], each["verdict"]) for each in judged} == {("decoded", "OK")}
        assert sum(result["sample"].endswith("a box, refined") for result in run["results"]) == 2
        assert run["problems"] == []


def test_the_page_segments_what_is_pointed_at(packed: Path, open_page: Open, webgpu: BrowserHandle) -> None:
    with Server(packed) as server:
        demo = open_page(webgpu.browser, server.url)
        page = demo.page
        rows = demo.at("results").locator("li")
        answered = rows.filter(has_text=re.compile(r"[1-9].* %"))
        stage, undo = page.locator("#stage"), demo.at("undo-click")
        assert demo.wait_for_result() == 0
        assert "scene.segment({ points: [{ x, y }] })" in page.locator("#snippet").inner_text()
        assert violations(page) == []
        stage.click(position={"x": 260, "y": 60})
        stage.click(position={"x": 320, "y": 200}, modifiers=["Shift"])
        expect(answered).to_have_count(1)
        name(page, "cup")
        demo.at("new-object").click()
        drag(page, (200, 100), (330, 240))
        expect(answered).to_have_count(2)
        stage.focus()
        for key in ("Escape", "ArrowRight", "Enter", "Shift+Enter"):
            page.keyboard.press(key)
        expect(answered).to_have_count(3)
        expect(rows).to_contain_text(["cup", "cup", "cup"])
        assert violations(page) == []
        name(page, "plate")
        demo.wait_until_idle()
        with page.expect_download() as saved:
            demo.at("save-coco").click()
        coco = json.loads(saved.value.path().read_text())
        assert [each["category_id"] for each in coco["annotations"]] == [0, 0, 1]
        assert [each["name"] for each in coco["categories"]] == ["cup", "plate"]
        assert (packed / "samples" / coco["images"][0]["file_name"]).exists()
        assert all(each["area"] > 0 for each in coco["annotations"])
        with page.expect_download() as saved:
            demo.at("save-cutout").click()
        assert Image.open(saved.value.path()).mode == "RGBA"
        demo.at("remove-object").click()
        expect(rows).to_have_count(2)
        stage.focus()
        for left in (3, 3, 2, 1, 1, 0):
            page.keyboard.press("Backspace")
            expect(rows).to_have_count(left)
        expect(undo).to_be_disabled()
        for _ in range(8):
            page.keyboard.press("Enter")
        demo.wait_until_idle()
        page.keyboard.press("Enter")
        expect(page.locator("#failure-message")).to_contain_text("the model takes 2 to 9")
        page.keyboard.press("Backspace")
        expect(page.locator("#failure")).to_be_hidden()
        expect(answered).to_have_count(1)


def test_a_click_is_answered_when_the_server_is_gone(packed: Path, without_gpu: Browser) -> None:
    """Encoder, decoder and page come from the earlier visit's cache."""
    context = without_gpu.new_context(reduced_motion="reduce")

    def answer(url: str) -> str:
        demo = DemoPage(context.new_page(), url)
        rows = demo.at("results").locator("li")
        assert demo.wait_for_result() == 0
        demo.page.locator("#stage").click(position={"x": 260, "y": 60})
        expect(rows).to_contain_text(["100.0 %"])
        assert demo.page.evaluate("() => navigator.serviceWorker.ready.then(({ active }) => active !== null)")
        assert demo.console.errors == []
        return rows.inner_text()

    with Server(packed) as server:
        online = answer(server.url)
    assert answer(server.url) == online
    context.close()


def test_fingers_tap_and_press_and_a_mouse_previews(packed: Path, open_page: Open, without_gpu: Browser) -> None:
    with Server(packed) as server:
        demo = open_page(without_gpu, server.url)
        page = demo.page
        rows = demo.at("results").locator("li")
        assert demo.wait_for_result() == 0
        saved = drawn(page)
        page.locator("#stage").hover(position={"x": 260, "y": 60})
        page.wait_for_function("before => document.getElementById('overlay').toDataURL() !== before", arg=saved)
        expect(rows).to_have_count(0)
        page.locator("#copy").hover()
        page.wait_for_function("before => document.getElementById('overlay').toDataURL() === before", arg=saved)
        finger(page, 260, 60)
        expect(rows).to_have_count(1)
        demo.at("new-object").click()
        finger(page, 320, 200, stays=True)
        expect(rows).to_have_count(2)
        rows.first.get_by_role("button").click()
        expect(rows.first.get_by_role("button")).to_have_attribute("aria-pressed", "true")
        demo.at("undo-click").click()
        expect(rows).to_have_count(1)
        demo.wait_until_idle()


def test_a_press_finds_everything(packed: Path, open_page: Open, without_gpu: Browser) -> None:
    with Server(packed) as server:
        demo = open_page(without_gpu, server.url)
        page = demo.page
        rows, button = demo.at("results").locator("li"), demo.at("everything")
        assert demo.wait_for_result() == 0
        page.evaluate("document.getElementById('everything-stability').value = 1.2  // as if no mask reached it")
        button.click()
        expect(button).to_have_text("Stop")
        page.wait_for_function("document.getElementById('everything-progress').value > 0")
        button.click()
        expect(button).to_have_text("Find everything")
        expect(rows).to_have_count(0)
        demo.at("everything-points").fill("6")
        button.click()
        expect(rows).not_to_have_count(0)
        expect(button).to_have_text("Find everything")
        expect(demo.at("everything-said")).to_contain_text("score 0.88 and stability 1.2, are too high for this")
        assert violations(page) == []
        count = rows.count()
        before = drawn(page)
        rows.first.get_by_role("button").click()
        page.wait_for_function("before => document.getElementById('overlay').toDataURL() !== before", arg=before)
        name(page, "cup")
        with page.expect_download() as saved:
            demo.at("save-coco").click()
        coco = json.loads(saved.value.path().read_text())
        assert len(coco["annotations"]) == count
        assert all(each["area"] > 0 for each in coco["annotations"])
        assert [each["name"] for each in coco["categories"]] == ["cup", "object"][:count]
        with page.expect_download() as saved:
            demo.at("save-cutout").click()
        assert Image.open(saved.value.path()).mode == "RGBA"
        demo.at("remove-object").click()
        expect(rows).to_have_count(count - 1)
        demo.at("undo-click").click()
        demo.at("undo-click").click()
        expect(rows).to_have_count(0)
        demo.at("everything-score").fill("1")
        button.click()
        expect(demo.at("everything-said")).to_contain_text("no mask is good enough: the best score is 1.00")


def test_the_code_on_the_page_runs_as_it_is(packed: Path, without_gpu: Browser) -> None:
    page = without_gpu.new_page()
    with Server(packed) as server:
        page.goto(server.url)
        code = page.locator("#snippet").inner_text()
    area = "[masks.length, masks[0].mask.length === image.naturalWidth * image.naturalHeight]"
    assert run_pasted(page, packed, code, "const [x, y] = [130, 90];", area) == [1, True]
    page.close()


VISITS = 3
"""One visit without a long task is enough: the code would cause one in each visit, the machine only in some."""


@pytest.mark.alone
def test_clicking_and_saving_takes_no_long_task(packed: Path, webgpu: BrowserHandle) -> None:
    visits: list[tuple[list[MainThreadTask], float]] = []
    with Server(packed) as server:
        while len(visits) < VISITS and not (visits and visits[-1][0][0].ms < visits[-1][1]):
            visits.append(click_and_save(packed, server, webgpu))
    tasks, allowed = visits[-1]
    assert 0 < tasks[0].ms < allowed, visits


def click_and_save(packed: Path, server: Server, webgpu: BrowserHandle) -> tuple[list[MainThreadTask], float]:
    """Return the main-thread tasks of a visit with a large image, the longest first, and the allowed duration."""
    with webgpu.page() as (page, _):
        demo = DemoPage(page, server.url)
        assert demo.wait_for_result() == 0
        with demo.another_run():
            demo.at("file").set_input_files({"name": "large.jpg", "mimeType": "image/jpeg", "buffer": large(packed)})
        with main_thread_tasks(webgpu.browser, page) as tasks:
            page.locator("#stage").click(position={"x": 260, "y": 60})
            expect(demo.at("save-coco")).to_be_enabled()
            demo.wait_until_idle()
            for button in ("save-coco", "save-cutout", "save-picture"):
                with page.expect_download():
                    demo.at(button).click()
        return tasks, longest_task_allowed(page)


def test_the_element_takes_clicks(packed: Path, webgpu: BrowserHandle) -> None:
    sample = decode((packed / "manifest.json").read_bytes()).samples[0].file
    element = f'<web-model src="./click.js" backend="wasm" picture="./{sample}"></web-model>'
    body = f'{element}<script type="module" src="./page/web-model.js"></script>{COLLECT}'
    head = '<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,">'
    files = {"/app.html": ("text/html", f"{head}<main><h1>App</h1>{body}</main>".encode())}
    with Server(packed, virtual=files) as server, webgpu.page() as (page, console):
        page.goto(f"{server.url}app.html")
        words, stage = page.get_by_role("status"), page.locator("web-model .stage")
        expect(words).to_have_text("Click an object, or drag a box around it")
        stage.click(position={"x": 60, "y": 60})
        expect(words).to_contain_text("a mask of")
        stage.click(position={"x": 90, "y": 70}, modifiers=["Shift"])
        page.wait_for_function("results.length === 2")
        assert page.evaluate("results.map(({ kind, masks }) => [kind, masks.length])") == [["mask-generation", 1]] * 2
        page.evaluate("document.querySelector('web-model').options = { points: [{ x: 9e9, y: 1 }] }")
        expect(words).to_contain_text("outside of the picture")
        assert axe_violations(page) == []
        assert console.errors == []


def large(packed: Path) -> bytes:
    """Return a sample enlarged to 12 megapixels."""
    file = io.BytesIO()
    sample = decode((packed / "manifest.json").read_bytes()).samples[0].file
    Image.open(packed / sample).resize((4000, 3000)).save(file, "JPEG")
    return file.getvalue()


def drawn(page: Page) -> str:
    """Return what is drawn over the image."""
    return str(page.evaluate("document.getElementById('overlay').toDataURL()"))


def finger(page: Page, x: int, y: int, *, stays: bool = False) -> None:
    """Touch the stage; a finger that stays is a long press."""
    page.evaluate(
        """async ([x, y, stays]) => {
          const stage = document.getElementById("stage");
          const { left, top } = stage.getBoundingClientRect();
          stage.setPointerCapture = () => {};
          const touch = (type) => stage.dispatchEvent(new PointerEvent(type, {
            pointerId: 1, pointerType: "touch", clientX: left + x, clientY: top + y, bubbles: true, button: 0,
          }));
          touch("pointerdown");
          if (stays) await new Promise((resolve) => setTimeout(resolve, 700));
          touch("pointerup");
        }""",
        [x, y, stays],
    )


def name(page: Page, text: str) -> None:
    """Name the selected object with the keyboard."""
    page.locator("#stage").focus()
    page.keyboard.press("n")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(page.locator("#stage")).to_be_focused()


def drag(page: Page, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Drag a box on the stage."""
    place = page.locator("#stage").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + start[0], place["y"] + start[1])
    page.mouse.down()
    page.mouse.move(place["x"] + end[0], place["y"] + end[1], steps=3)
    page.mouse.up()


def native(packed: Path, manifest: Manifest, prompt: PointPrompt) -> PromptedMasks:
    """Return the masks that the original models and Python compute for a prompt."""
    encoder, decoder = manifest.every_stage
    (image,), task = encoder.inputs, decoder.task
    assert isinstance(image, ImageInput)
    assert isinstance(task, MaskGenerationTask)
    tensor, placement = image_to_tensor(load_image(packed / manifest.samples[0].file), image)
    embeddings = NativeRunner(packed.parent / "click_encoder.onnx").run({image.name: tensor})
    inputs = next(
        each.inputs
        for each in decoder.every_variant
        if any(s.name == "point_coords" and s.shape[1] == point_tokens(task, prompt) for s in each.inputs)
    )
    feeds = {
        **point_prompt_feeds(inputs, task, [prompt], placement),
        **embeddings,
        "orig_im_size": np.array([8, 8], np.float32),
    }
    outputs = NativeRunner(packed.parent / "click_decoder.onnx").run(feeds)
    (answer,) = TASK.decode(task, outputs, RunContext(placement, points=prompt))
    return answer


def same_masks(want: PromptedMasks, got: dict[str, Any]) -> None:
    assert got["best"] == want.best
    assert len(got["masks"]) == len(want.masks)
    for one, other in zip(want.masks, got["masks"], strict=True):
        assert other["score"] == pytest.approx(one.score, abs=1e-4)
        mask = np.frombuffer(base64.b64decode(other["mask"]), np.uint8).astype(bool)
        apart = (mask != one.mask.ravel()).mean()
        assert apart < 1e-3
    assert any(0 < one.mask.mean() < 1 for one in want.masks)
    np.testing.assert_allclose(got["logits"], want.logits.ravel(), rtol=1e-3, atol=1e-3)
