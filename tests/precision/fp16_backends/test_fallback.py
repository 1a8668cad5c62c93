"""What computes the proof where the best arithmetic gives no answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.precision.trapped import network
from webbuild.errors import WebbuildError
from webbuild.precision.fp16_backends import EmulatedFp16
from webbuild.precision.fp16_backends.base import Tensors
from webbuild.precision.fp16_backends.fallback import FallbackBackend


class Silent(EmulatedFp16):
    """An arithmetic that fails with a code."""

    def __init__(self, code: str) -> None:
        super().__init__("for a test")
        self.code = code

    def run(self, model: ir.Model, feeds: Sequence[Tensors]) -> list[dict[str, NDArray[Any]]]:
        raise WebbuildError(self.code, "Chromium: no answer in 300 s", "wait longer")


def test_what_searched_stands_in_and_that_is_told() -> None:
    told: list[str] = []
    proving = FallbackBackend(Silent("fp16-backend-failed"), EmulatedFp16("quick"), told.append)
    assert proving.run(network(""), []) == []
    assert proving.name == "emulated"
    assert told == ["    Chromium: no answer in 300 s; compared with the backend of the search instead, emulated"]


def test_there_is_nothing_behind_what_searched_and_other_errors_are_errors() -> None:
    alone = Silent("fp16-backend-failed")
    for best, quick in ((alone, alone), (Silent("no-runtime"), EmulatedFp16("quick"))):
        with pytest.raises(WebbuildError) as raised:
            FallbackBackend(best, quick, print).run(network(""), [])
        assert raised.value.code == best.code
