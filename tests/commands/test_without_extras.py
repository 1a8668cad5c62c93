"""Without the extras: packing proves natively; the error for a missing extra says how to install it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tests.models import convolution, save
from webbuild.errors import WebbuildError
from webbuild.preprocess.wordpiece import SPECIAL_TOKENS, load_tokenizer


@pytest.fixture
def no_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `import playwright` fail, and hide its module specification."""
    monkeypatch.setitem(sys.modules, "playwright", None)


@pytest.mark.usefixtures("no_playwright", "stand_in")
def test_pack_proves_natively_and_says_how_to_get_the_comparison(tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "m.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out")
    assert done.code == 0, done.stderr
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert "proven: " in done.stderr
    assert "not compared in a browser; for that: pip install 'webbuild[browser]'" in done.stderr
    assert "not compared" not in webbuild("pack", model, "-o", tmp_path / "out", "--force", "--no-verify").stderr


@pytest.mark.usefixtures("no_playwright")
@pytest.mark.parametrize(
    "call",
    [["verify", "out"], ["bench", "out"], ["bisect", "m.onnx"], ["probe"], ["inspect", "m.onnx", "--measure"]],
    ids=lambda call: str(call[0]),
)
def test_what_runs_in_a_browser_says_what_is_missing_before_it_does_anything(call: list[str]) -> None:
    done = webbuild(*call)
    assert (done.code, done.error, done.stdout) == (2, "no-playwright", "")
    assert "fix: pip install 'webbuild[browser]', then python -m playwright install chromium" in done.stderr


def test_a_prompt_without_the_library_of_tokenizers_is_an_error_with_a_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(WebbuildError) as caught:
        load_tokenizer("m.onnx", {}, [*SPECIAL_TOKENS, "."], {})
    assert (caught.value.code, caught.value.exit_code) == ("tokenizers-missing", 2)
    assert caught.value.fix == "pip install 'webbuild[tokenizers]'"
