"""File names that are not UTF-8: Linux allows them, ONNX Runtime and JSON do not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.colours import paint
from tests.commands.program import webbuild
from tests.embedding_models import encoder
from tests.models import convolution, save
from webbuild.commands.internal_error import report_internal_error
from webbuild.errors import BUG

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have only Unicode names")

LATIN_1 = os.fsdecode(b"caf\xe9")


@pytest.mark.parametrize("option", ["MODEL", "-o", "--sample"])
def test_a_given_path_is_refused(tmp_path: Path, option: str) -> None:
    model = save(convolution(), tmp_path / "small.onnx")
    words = [tmp_path / LATIN_1] if option == "MODEL" else [model, option, tmp_path / LATIN_1]
    done = webbuild("pack", *words, "--no-verify")
    assert done.code == 2
    assert "caf\\udce9' is not UTF-8\n  fix: rename" in done.stderr


def test_a_model_in_a_folder_is_refused(tmp_path: Path) -> None:
    save(convolution(), tmp_path / "small.onnx").rename(tmp_path / f"{LATIN_1}.onnx")
    done = webbuild("inspect", tmp_path)
    assert (done.code, done.error) == (2, "model-not-found")


def test_a_picture_in_a_folder_is_refused(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    (tmp_path / "samples" / "red.png").rename(tmp_path / "samples" / f"{LATIN_1}.png")
    model = save(encoder("image_embeds"), tmp_path / "vision.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--sample", tmp_path / "samples")
    assert (done.code, done.error) == (2, "unreadable-image")


def test_a_bug_with_such_a_name_has_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="caf") as caught:
        raise ValueError(LATIN_1)
    assert report_internal_error(caught.value) == BUG
    report = Path(capsys.readouterr().err.partition("please report it, with ")[2].partition(" (versions")[0])
    assert "caf\\udce9" in report.read_text("utf-8")
    report.unlink()
