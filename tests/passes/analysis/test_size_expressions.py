"""Sizes given as arithmetic expressions."""

from __future__ import annotations

import pytest

from webbuild.passes.analysis.size_expressions import evaluate_size

SIZES = {"height": 64, "width": 96, "s-1": 5}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("width", 96),
        ("20", 20),
        ("((((width - 1)//8)) + 1)*((((height - 1)//8)) + 1)", 96),
        ("Min(20, ((((width - 1)//8)) + 1))", 12),
        ("Max(20, 4)", 20),
        ("height % 7", 1),
        ("height - width", None),
        ("batch", None),
        ("batch * 0", None),
        ("height // 0", None),
        ("height ** 9", None),
        ("width * width * width * width * width * width * width", None),
        ("Min()", None),
        ("__import__('os').getcwd()", None),
        ("Min(*[1])", None),
        ("1.5", None),
        ("(" * 500, None),
        ("1+" * 5000 + "1", None),
        ("", None),
        (None, None),
    ],
)
def test_only_arithmetic_over_known_names_has_a_size(text: str | None, size: int | None) -> None:
    assert evaluate_size(text, SIZES) == size
