"""A shared helper of the float16 backend tests: graphs written as text."""

from __future__ import annotations

import onnx_ir as ir
from onnx import parser


def graph(text: str) -> ir.Model:
    """Return a graph of opset 18."""
    return ir.from_proto(parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> {text}'))
