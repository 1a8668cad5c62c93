"""Which stage of a bundle receives the commands of a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webbuild.browser.server import Server
from webbuild.verify.batch_page_runner import BatchPageRunner


class FakePage:
    """Answers every tensor run without outputs, and records the calls."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def goto(self, url: str, /) -> None:
        pass

    def wait_for_function(self, function: str, /) -> None:
        pass

    def evaluate(self, function: str, argument: Any = None, /) -> Any:
        self.asked.append(argument)
        return {"value": {"ms": 1, "outputs": []}}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as server:
        yield server


@pytest.mark.parametrize("stage", ["pose", ""])
def test_a_batch_runs_through_its_own_stage(server: Server, stage: str) -> None:
    page = FakePage()
    runner = BatchPageRunner(page, server, "wasm pose batch 4", "crop", 4, [], stage=stage, seconds=1)
    runner.run_timed({"crop": np.zeros((1, 3, 8, 8), np.float32)})
    (asked,) = page.asked
    assert asked["feeds"][0]["dims"] == [4, 3, 8, 8]
    assert asked.get("stage", "") == stage
