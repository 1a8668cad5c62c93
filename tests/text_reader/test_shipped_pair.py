"""The shipped pair finds and reads text in Pillow's own font, which was not in the training data."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np
import onnxruntime as ort
import pytest
from PIL import Image, ImageDraw, ImageFont

from models.imagenet import inputs
from models.text_reader.words import CHARACTERS
from tests.commands.program import ROOT

FOLDER = ROOT / "models" / "text-reader"


def answer(name: str, picture: np.ndarray) -> np.ndarray:
    session = ort.InferenceSession(FOLDER / name, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": picture})[0])


def picture(text: str, wide: int, high: int, at: tuple[int, int], size: int) -> np.ndarray:
    """Draw dark text on light grey, RGB [h, w, 3]; `at` is its start on the base line."""
    image = Image.new("RGB", (wide, high), (220, 220, 215))
    ImageDraw.Draw(image).text(at, text, (30, 30, 40), ImageFont.load_default(size), anchor="ls")
    return np.asarray(image)


def read(text: str, width: int) -> str:
    """Read an image of a text with the recognizer; assert that the scores of each step add up to 1."""
    line = picture(text, width, 32, (6, 25), 26).astype(np.float32)
    chances = answer("rec.onnx", np.moveaxis((line / 255 - 0.5) / 0.5, -1, 0)[None])
    assert chances.shape == (1, width // 4, len(CHARACTERS) + 1)
    assert chances.sum(-1) == pytest.approx(np.ones((1, width // 4)), abs=1e-4)
    classes = chances[0].argmax(-1)
    kept = [now for before, now in zip([0, *classes], classes, strict=False) if now and now != before]
    return "".join(CHARACTERS[index - 1] for index in kept)


def test_the_dictionary_is_that_of_the_recipe_without_the_space() -> None:
    lines = (FOLDER / "dict.txt").read_text("utf-8").split("\n")
    assert lines == [*CHARACTERS[:-1], ""]
    assert len({*CHARACTERS}) == 95
    assert CHARACTERS[-1] == " "


LINES = ("TOTAL $21.40", "Thank you", "07-24-2017", "Order No. 58")


@pytest.mark.parametrize("width", [256, 384])
def test_nearly_all_characters_are_read(width: int) -> None:
    same = sum(
        sum(one.size for one in SequenceMatcher(None, text, read(text, width)).get_matching_blocks()) for text in LINES
    )
    assert same >= 0.85 * sum(map(len, LINES))


@pytest.mark.parametrize(("high", "wide"), [(160, 256), (224, 192)])
def test_the_map_is_set_in_the_middle_of_a_line_and_nowhere_else(high: int, wide: int) -> None:
    shown = picture("TOTAL $21.40", wide, high, (16, 80), 24)
    found = answer("det.onnx", inputs(shown)[None])
    assert found.shape == (1, 1, high, wide)
    inked = np.nonzero((shown.max(-1) < 120).any(0))[0]
    assert found[0, 0, 71, inked.min() + 12 : inked.max() - 12].min() > 0.3
    elsewhere = found[0, 0].copy()
    elsewhere[58:86] = 0
    assert elsewhere.max() < 0.3
