"""Arguments of commands: each option is declared once, and all are keyword-only in Python."""

from __future__ import annotations

import dataclasses
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

from tests.commands.program import command, webbuild
from webbuild.commands import options

NAMES = [each.name for each in pkgutil.iter_modules(options.__path__) if each.name != "shared"]


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_given_by_keyword_and_have_a_parameter_for_each_field(name: str) -> None:
    arguments = getattr(import_module(f"webbuild.commands.options.{name}"), f"{name.title()}Arguments")
    fields = dataclasses.fields(arguments)
    assert all(field.kw_only for field in fields)
    assert {param.name for param in command(name).params} == {field.name for field in fields}
    with pytest.raises(TypeError):
        arguments(*range(len(fields)))


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ("inspect a.onnx b.onnx", "webbuild inspect --help"),
    ],
)
def test_an_argument_too_many_has_a_fix(given: str, fix: str) -> None:
    done = webbuild(*given.split())
    assert done.code == 2
    assert fix in done.stderr.splitlines()[-1]


def test_a_value_without_its_option_has_a_fix(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").touch()
    done = webbuild("pack", tmp_path / "a.onnx", "--dim", "height=480", "width=640")
    assert (done.code, done.error) == (2, "model-not-found")
    assert "give the option again before each value, such as --dim width=640" in done.stderr


@pytest.mark.parametrize("words", ["patch a.onnx", "verify bundle", "bench bundle", "bisect bundle"])
@pytest.mark.parametrize("sample", ["none.jpg", "none.npz", "none"])
def test_a_sample_that_is_not_there_is_refused_before_anything_is_read(words: str, sample: str) -> None:
    done = webbuild(*words.split(), "--sample", sample)
    assert (done.code, done.error) == (2, "sample-not-found")


def test_a_backend_is_not_compared_with_itself() -> None:
    done = webbuild("bisect", "bundle", "--backend", "wasm", "--reference", "wasm")
    assert (done.code, done.error) == (2, "conflicting-options")
