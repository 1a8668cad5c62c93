"""What the command's options come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webbuild.commands.bisect import request


@pytest.mark.parametrize(
    ("given", "precision", "wanted"), [(None, "fp32", 1e-4), (None, "mixed", 0.01), (0.3, "fp16", 0.3)]
)
def test_a_graph_in_half_precision_may_be_as_far_off_as_it_was_proven(
    given: float | None, precision: str, wanted: float
) -> None:
    options: dict[str, Any] = {"outputs": (), "inputs": (), "dims": (), "out": None, "resume": False, "force": False}
    made = request(
        Path("conv"),
        backend="webgpu",
        precision=precision,
        build=None,
        against="native",
        tolerance=given,
        seconds=1,
        as_json=False,
        **options,
    )
    assert (made.how.tolerance, made.asked.precision) == (wanted, precision)
