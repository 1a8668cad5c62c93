"""Detection by prompt, from its ONNX file to its page: every build agrees with native, and the prompt decides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from tests.compared import compared
from tests.prompted import original, transformers, with_words
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

FIRST, SECOND = "red circle . blue square .", "star . cafes ? green circle ."
END = "[SEP]"
"""Decoded as text where its score is above the threshold, as in the original; with random weights it is."""


@pytest.fixture(scope="module")
def prompted(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grounding")
    model = with_words(transformers(), folder / "prompted.onnx", "vocab.txt")
    done = webbuild("pack", model, "-o", folder / "out", "--no-verify", "--prompt", FIRST, "--prompt", SECOND)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def served(prompted: Path) -> Iterator[Server]:
    with Server(prompted) as server:
        yield server


@pytest.fixture(scope="module")
def kept(keep_page: Open, without_gpu: Browser, served: Server) -> DemoPage:
    page = keep_page(without_gpu, served.url, viewport={"width": 1280, "height": 900})
    page.wait_for_result()
    return page


@pytest.fixture
def demo(kept: DemoPage) -> DemoPage:
    """The page on its first sample, with its initial thresholds and prompt."""
    reset = kept.page.locator("#reset")
    if reset.is_visible():
        with kept.another_run():
            reset.click()
    kept.choose(0)
    if kept.at("prompt").input_value() != FIRST:
        with kept.another_run():
            kept.at("prompt-0").click()
    return kept


def verified(webbuild: Webbuild, bundle: Path) -> Any:
    done = webbuild("verify", bundle, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_every_build_agrees_with_native(webbuild: Webbuild, prompted: Path, webgpu: BrowserHandle) -> None:
    report = verified(webbuild, prompted)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        stages = {(each["subject"]["stage"], compared(each)) for each in judged}
        assert stages == {
            ("input", "pixel_values"),
            ("raw", "logits"),
            ("raw", "pred_boxes"),
            ("decoded", "phrases"),
            ("decoded", "score"),
            ("decoded", "box"),
        }
        assert {each["verdict"] for each in judged} == {"OK"}
    assert sum(len(sample["detections"]) for sample in report["samples"]) >= 10


def test_the_original_repositorys_inputs_are_filled_in_too(
    webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    model = with_words(original(), tmp_path / "original.onnx", "tokenizer.json")
    options = ("--dim", "seq_len=16", "--no-verify", "--prompt", FIRST)
    done = webbuild("pack", model, "-o", tmp_path / "out", *options)
    assert done.returncode == 0, done.stderr
    report = verified(webbuild, tmp_path / "out")
    assert sum(len(sample["detections"]) for sample in report["samples"]) >= 5


def labels(demo: DemoPage) -> list[str]:
    return demo.page.locator("#rows .row-label").all_inner_texts()


def test_the_words_decide_what_is_found(demo: DemoPage) -> None:
    expect(demo.at("prompt")).to_have_value(FIRST)
    allowed = {"red", "circle", "blue", "square", END}
    assert labels(demo)
    assert {word for label in labels(demo) for word in label.split()} <= allowed
    with demo.another_run():
        demo.at("prompt").fill("  GREEN star")
        demo.at("find").click()
    assert {word for label in labels(demo) for word in label.split()} <= {"green", "star", END}
    with demo.another_run():
        demo.at("prompt-1").click()
    expect(demo.at("prompt")).to_have_value(SECOND)
    expect(demo.at("prompt-1")).to_have_attribute("aria-pressed", "true")
    assert demo.overflow() == 0
    assert violations(demo.page) == []


def test_the_thresholds_of_boxes_and_of_words_are_apart(demo: DemoPage) -> None:
    before = labels(demo)
    assert demo.slide("textThreshold", 1) == len(before)
    assert set(labels(demo)) == {""}
    assert demo.slide("confidence", 1) == 0


def test_a_prompt_that_is_too_long_is_told_with_the_count_and_is_no_end(demo: DemoPage) -> None:
    demo.at("prompt").fill("red circle . " * 90)
    demo.at("prompt").press("Enter")
    alert = demo.page.get_by_role("alert")
    expect(alert).to_contain_text("prompt has 272 tokens, and the model takes 256")
    demo.at("prompt").fill(" . ")
    demo.at("prompt").press("Enter")
    expect(alert).to_contain_text("prompt is empty")
    demo.at("prompt").fill("star")
    demo.at("prompt").press("Enter")
    expect(alert).to_be_hidden()
    demo.wait_for_result()


def test_the_loader_takes_a_list_and_refuses_what_it_cannot_read(without_gpu: Browser, prompted: Path) -> None:
    ask = """async () => {
      const { load } = await import("./prompted.js");
      const model = await load({ backend: "wasm" });
      const canvas = new OffscreenCanvas(64, 48);
      canvas.getContext("2d").fillRect(0, 0, 20, 20);
      const failed = ({ code, message }) => ({ code, message });
      const found = await model.run(canvas, { prompt: ["Red circle", "star"], confidence: 0 });
      const long = await model.run(canvas, { prompt: "star . ".repeat(200) }).catch(failed);
      const none = await model.run(canvas).catch(failed);
      return { kind: found.kind, phrases: found.phrases, count: found.detections.length, long, none };
    }"""
    policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' data:"
    html = f'<meta http-equiv="Content-Security-Policy" content="{policy}"><link rel=icon href=data:,>'
    with Server(prompted, virtual={"/blank.html": ("text/html", html.encode())}) as server:
        page = without_gpu.new_page()
        page.goto(f"{server.url}blank.html")
        answer = page.evaluate(ask)
        page.close()
    assert (answer["kind"], answer["phrases"], answer["count"]) == ("grounding", ["red circle", "star"], 16)
    assert answer["long"] == {
        "code": "invalid-prompt",
        "message": "the prompt has 402 tokens, and the model takes 256",
    }
    assert answer["none"]["code"] == "invalid-prompt"
