"""What the tests of the arithmetics share: graphs written as text, and Dawn where it is installed."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir
import pytest
from onnx import parser

from webbuild.precision.arithmetic.engined import Engined
from webbuild.precision.arithmetic.on_dawn import on_dawn


def graph(text: str) -> ir.Model:
    """Return a graph of opset 18."""
    return ir.from_proto(parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> {text}'))


@pytest.fixture(scope="session")
def dawn() -> Iterator[Engined]:
    """Real float16. Where it is not installed, the same is asked of the emulation, by tests of their own."""
    found = on_dawn()
    if isinstance(found, str):
        pytest.skip(found)
    with found:
        yield found
