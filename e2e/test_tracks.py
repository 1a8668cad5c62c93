"""Track ids in a video: the same in the page as in Python."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from e2e.conftest import Webbuild
from tests.models import save
from tests.wired import remembered


def test_verify_compares_the_ids_of_a_film(webbuild: Webbuild, bundle: Path) -> None:
    done = webbuild("verify", bundle, "--backend", "wasm", "--track", "--json")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["backends"]
    video = run["results"][-1]
    assert video["sample"].startswith("32 frames of ")
    (ids,) = (each for each in video["comparisons"] if each["subject"]["quantity"] == "ids")
    assert (ids["verdict"], ids["nearThreshold"]) == ("OK", 0)
    assert ids["signal"] > 5


def test_verify_compares_the_ids_of_a_recurrent_detector(webbuild: Webbuild, tmp_path: Path) -> None:
    model, samples = save(remembered(), tmp_path / "model.onnx"), [tmp_path / "dark.png", tmp_path / "light.png"]
    for file, levels in zip(samples, [(0, 20), (200, 255)], strict=True):
        Image.linear_gradient("L").point(partial(np.interp, xp=(0, 255), fp=levels)).resize((64, 64)).save(file)
    packed = webbuild("pack", model, "--sample", *samples, "-o", tmp_path / "out", "--no-verify")
    assert packed.returncode == 0, packed.stderr
    done = webbuild("verify", tmp_path / "out", "--backend", "wasm", "--track", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = json.loads(done.stdout)["backends"]
    videos = {result["sample"] for result in run["results"] if " frames of " in result["sample"]}
    assert {"32 frames of dark.png", "32 frames of light.png"} <= videos
    compared = [each for result in run["results"] for each in result["comparisons"]]
    (ids,) = (each for each in compared if each["subject"]["quantity"] == "ids")
    assert (ids["verdict"], ids["signal"]) == ("OK", 3)
    assert {each["verdict"] for each in compared} == {"OK"}
