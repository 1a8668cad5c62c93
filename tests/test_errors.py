"""The format of an error: one line, a fix, no terminal control characters."""

from __future__ import annotations

import io
import sys

import pytest

from webbuild.errors import FAILED, WebbuildError, printable
from webbuild.reporting.progress import ProgressReporter


def test_an_error_is_a_line_its_fix_and_the_address_of_its_page() -> None:
    error = WebbuildError("no-adapter", "chromium: no WebGPU adapter", "run with --backend wasm")
    assert str(error) == (
        "error[no-adapter] chromium: no WebGPU adapter\n"
        "  fix: run with --backend wasm\n"
        "  see: https://webbuild.readthedocs.io/codes/no-adapter/"
    )
    assert error.exit_code == FAILED


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\r", "\x00", "\x9b", "\u202e", "\u2028", "\x7f", "\t"])
def test_control_characters_are_written_out(character: str) -> None:
    text = str(WebbuildError("x", f"a{character}b", f"c{character}d"))
    assert character not in text
    assert character.encode("unicode_escape").decode() in text


def test_letters_of_every_script_stay() -> None:
    assert printable("Modèle 模型 модель") == "Modèle 模型 модель"


def test_a_long_text_is_cut() -> None:
    assert len(printable("x" * 10_000)) == 600
    assert printable("x" * 10_000).endswith("…")


def test_a_message_of_several_lines_stays_under_its_first() -> None:
    text = str(WebbuildError("x", "one\ntwo", "three"))
    assert text.splitlines()[0] == "error[x] one two"
    assert len(text.splitlines()) == 3


def test_steps_go_to_stderr_and_name_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    talk = ProgressReporter()
    with talk.step("load \x1b[31mmodel"):
        pass
    with pytest.raises(ValueError, match="no"), talk.step("prove"):
        raise ValueError("no")
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("  ✓ load \\x1b[31mmodel (")
    assert lines[1] == "  ✗ prove"


def test_quiet_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressReporter(quiet=True).step("load"):
        ProgressReporter(quiet=True).print("hello")
    assert stream.getvalue() == ""
