"""What the command's options come to."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from webbuild.commands.bisect import search_options
from webbuild.commands.options.bisect import BisectArguments


@pytest.mark.parametrize(
    ("given", "precision", "wanted"), [(None, "fp32", 1e-4), (None, "mixed", 0.01), (0.3, "fp16", 0.3)]
)
def test_a_graph_in_half_precision_may_be_as_far_off_as_it_was_proven(
    given: float | None, precision: Literal["fp32", "fp16", "mixed"], wanted: float
) -> None:
    arguments = BisectArguments(subject=Path("conv"), precision=precision, tolerance=given)
    assert search_options(arguments).tolerance == wanted
