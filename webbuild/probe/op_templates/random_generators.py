"""Operators without inputs, except Constant, which is an initializer by the time nodes are placed."""

from __future__ import annotations

from webbuild.probe.op_template import fixed_template, onnx_dtype

TEMPLATES = dict.fromkeys(("RandomNormal", "RandomUniform"), fixed_template(shape=[2, 3], dtype=onnx_dtype))
