"""How the command's options are parsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models import HEADER, parsed
from webbuild.bisect.bisect import BisectOptions
from webbuild.commands.bisect import search_options
from webbuild.commands.options.bisect import BisectArguments
from webbuild.subgraph.graph import ModelGraph

SINGLE = ModelGraph(parsed(f"{HEADER} single (float16[2] x) => (float[2] y) {{ y = Cast <to = 1> (x) }}"))
HALF = ModelGraph(parsed(f"{HEADER} half (float[2] x) => (float[2] y)\n<float16[2] a>\n{{\n"
                         "  a = Cast <to = 10> (x)\n  y = Cast <to = 1> (a)\n}"))  # fmt: skip


@pytest.mark.parametrize(("given", "graph", "wanted"), [(None, SINGLE, 1e-4), (None, HALF, 0.01), (0.3, HALF, 0.3)])
def test_a_graph_in_half_precision_may_be_as_far_off_as_it_was_proven(
    given: float | None, graph: ModelGraph, wanted: float
) -> None:
    arguments = BisectArguments(subject=Path("conv"), tolerance=given)
    assert search_options(arguments, graph).tolerance == wanted


def test_the_browser_is_the_named_one() -> None:
    assert search_options(BisectArguments(subject=Path("conv"), browser="webkit"), SINGLE) == BisectOptions("webkit")
