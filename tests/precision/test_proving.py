"""What computes the proof where the best arithmetic gives no answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.precision.trapped import network
from webbuild.errors import WebbuildError
from webbuild.precision.arithmetic import Emulated
from webbuild.precision.arithmetic.protocol import Tensors
from webbuild.precision.proving import Proving


class Silent(Emulated):
    """An arithmetic that fails with a code."""

    def __init__(self, code: str) -> None:
        super().__init__("for a test")
        self.code = code

    def run(self, model: ir.Model, feeds: Sequence[Tensors]) -> list[dict[str, NDArray[Any]]]:
        raise WebbuildError(self.code, "Dawn: no answer in 300 s", "wait longer")


def test_what_searched_stands_in_and_that_is_told() -> None:
    told: list[str] = []
    proving = Proving(Silent("arithmetic-failed"), Emulated("quick"), told.append)
    assert proving.run(network(""), []) == []
    assert proving.name == "emulated"
    assert told == ["    Dawn: no answer in 300 s: proven by what searched, emulated"]


def test_there_is_nothing_behind_what_searched_and_other_errors_are_errors() -> None:
    alone = Silent("arithmetic-failed")
    for best, quick in ((alone, alone), (Silent("no-runtime"), Emulated("quick"))):
        with pytest.raises(WebbuildError) as raised:
            Proving(best, quick, print).run(network(""), [])
        assert raised.value.code == best.code
