"""An option that takes all values up to the next option, as a shell expands `--sample *.jpg`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.program import command


@pytest.mark.parametrize(
    ("arguments", "samples"),
    [
        ("m.onnx", ""),
        ("m.onnx --sample a.jpg", "a.jpg"),
        ("m.onnx --sample a.jpg b.jpg c.jpg", "a.jpg b.jpg c.jpg"),
        ("m.onnx --sample a.jpg b.jpg --force", "a.jpg b.jpg"),
        ("m.onnx --sample a.jpg --sample b.jpg c.jpg -o out", "a.jpg b.jpg c.jpg"),
        ("m.onnx --force --sample a.jpg b.jpg", "a.jpg b.jpg"),
        ("--sample a.jpg --force m.onnx", "a.jpg"),
        ("m.onnx --sample=a.jpg", "a.jpg"),
        ("--sample=a.jpg --force m.onnx", "a.jpg"),
    ],
)
def test_all_values_are_taken(arguments: str, samples: str) -> None:
    params = command("pack").make_context("pack", arguments.split()).params
    assert params["models"] == (Path("m.onnx"),)
    assert params["samples"] == tuple(Path(name) for name in samples.split())


def test_options_of_one_value_take_one() -> None:
    params = command("pack").make_context("pack", ["--dim", "a=1", "m.onnx", "--dim", "b=2"]).params
    assert params["dims"] == ("a=1", "b=2")
    assert params["models"] == (Path("m.onnx"),)
