"""Small people in a large image: slices find those that the resized whole image has lost."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, FilePayload, expect

from e2e.accessibility import violations
from e2e.conftest import MODEL, Open
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

SMALL, LARGE = 150, (2600, 480)
PLACES = ((30, 60), (460, 290), (900, 150), (1400, 20), (1930, 320), (2400, 170))
"""The upper left corners of small images in the large one."""

FIND = """async ([backend, one, many]) => {
  const { load } = await import(new URL("./yolo-pose.js", document.baseURI).href);
  const read = async (name) => (await fetch(new URL(name, document.baseURI))).blob();
  const model = await load({ backend });
  const parts = [];
  const alone = await model.run(await read(one));
  const picture = await read(many);
  const whole = await model.run(picture);
  const onProgress = ({ done, total }) => parts.push([done, total]);
  const sliced = await model.run(picture, { slices: { size: 340, overlap: 0.5 }, onProgress });
  await model.dispose();
  return { alone, whole, sliced, parts };
}"""


@pytest.fixture
def drawn(root: Server) -> Server:
    """One person in a small image, and that image at several positions of a large grey one."""
    with Image.open(MODEL.parent / "samples" / "2-one.jpg") as sample:
        one = sample.convert("RGB").resize((SMALL, SMALL), Image.Resampling.LANCZOS)
    many = Image.new("RGB", LARGE, (114, 114, 114))
    for place in PLACES:
        many.paste(one, place)
    for name, picture in (("one", one), ("many", many)):
        stored = io.BytesIO()
        picture.save(stored, "png")
        root.virtual[f"/{name}.png"] = ("image/png", stored.getvalue())
    root.virtual["/blank.html"] = ("text/html", b"<link rel=icon href=data:,>")
    return root


@pytest.fixture(params=[pytest.param("webgpu", marks=pytest.mark.slow), "wasm"])
def found(request: pytest.FixtureRequest, with_gpu: BrowserHandle, drawn: Server) -> Iterator[dict[str, Any]]:
    browser: Browser = with_gpu.browser
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{drawn.url}blank.html")
    yield page.evaluate(FIND, [request.param, "one.png", "many.png"])
    context.close()


def overlap(first: dict[str, float], second: dict[str, float]) -> float:
    """Return the intersection over union of two boxes."""
    width = min(first["x2"], second["x2"]) - max(first["x1"], second["x1"])
    height = min(first["y2"], second["y2"]) - max(first["y1"], second["y1"])
    shared = max(width, 0) * max(height, 0)
    areas = [(box["x2"] - box["x1"]) * (box["y2"] - box["y1"]) for box in (first, second)]
    return shared / (sum(areas) - shared)


def places_found(result: dict[str, Any], person: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the positions at which a pose has the person's box and, on average within 10 pixels, keypoints."""
    places = []
    for left, top in PLACES:
        moved = {name: value + (left if name[0] == "x" else top) for name, value in person["box"].items()}
        for pose in result["poses"]:
            pairs = zip(pose["keypoints"], person["keypoints"], strict=True)
            off = [abs(got["x"] - left - want["x"]) + abs(got["y"] - top - want["y"]) for got, want in pairs]
            if overlap(pose["box"], moved) > 0.5 and sum(off) / len(off) < 10:
                places.append((left, top))
                break
    return places


def test_slices_find_small_people_that_the_resized_picture_has_lost(found: dict[str, Any]) -> None:
    (person,) = found["alone"]["poses"]
    whole, sliced = (places_found(found[name], person) for name in ("whole", "sliced"))
    assert sliced == list(PLACES)
    assert len(whole) < len(PLACES)
    assert len(found["sliced"]["poses"]) == len(PLACES)
    assert found["sliced"].keys() == found["whole"].keys()
    assert (found["sliced"]["width"], found["sliced"]["height"]) == LARGE
    done = [done for done, _ in found["parts"]]
    assert done == list(range(1, found["parts"][0][1] + 1))
    assert len(done) == 15 * 2 + 1
    assert found["sliced"]["timings"]["inference"] > found["whole"]["timings"]["inference"]


def payload(drawn: Server, name: str) -> FilePayload:
    return {"name": f"{name}.png", "mimeType": "image/png", "buffer": drawn.virtual[f"/{name}.png"][1]}


STOP_AT_ONCE = """() => {
  const stop = document.getElementById("slices-stop");
  new MutationObserver(() => stop.checkVisibility() && stop.click()).observe(stop.parentElement, { attributes: true });
}"""


def test_the_page_runs_large_pictures_in_slices_and_stops_that(
    open_page: Open, without_gpu: Browser, drawn: Server
) -> None:
    demo = open_page(without_gpu, f"{drawn.url}#slices=384", viewport={"width": 360, "height": 800})
    demo.wait_until_idle()
    card, said = demo.at("slices-card"), demo.at("slices-said")
    expect(said).to_have_text("Run 7 times: in 6 slices and as a whole.")
    with demo.another_run():
        demo.at("file").set_input_files(payload(drawn, "many"))
    expect(said).to_have_text("Run 19 times: in 18 slices and as a whole.")
    assert demo.count() == len(PLACES)
    assert "slices: { size: 384, overlap: 0.2 }" in demo.page.locator("#snippet").inner_text()
    demo.at("copy-link").click()
    demo.page.wait_for_url("**/#slices=384")
    assert demo.overflow() == 0
    assert violations(demo.page) == []
    demo.page.evaluate(STOP_AT_ONCE)
    with demo.another_run():
        demo.at("slice-size").fill("192")
    expect(said).to_have_text("Stopped. The picture is run as a whole.")
    expect(demo.at("slices")).not_to_be_checked()
    demo.wait_until_idle()
    assert demo.count() < len(PLACES)
    with demo.another_run():
        demo.at("file").set_input_files(payload(drawn, "one"))
    expect(card).to_be_hidden()
