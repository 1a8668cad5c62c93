"""Operators on sequences and optional values. The schema determines the type of each input."""

from __future__ import annotations

from webbuild.probe.op_template import fixed_template, onnx_dtype

_MAP = (2, 3)

TEMPLATES = {
    "ConcatFromSequence": fixed_template(_MAP, axis=0),
    "Optional": fixed_template(_MAP),
    "OptionalGetElement": fixed_template(_MAP),
    "OptionalHasElement": fixed_template(_MAP),
    "SequenceAt": fixed_template(_MAP, ()),
    "SequenceConstruct": fixed_template(_MAP, _MAP),
    "SequenceEmpty": fixed_template(dtype=onnx_dtype),
    "SequenceErase": fixed_template(_MAP, ()),
    "SequenceInsert": fixed_template(_MAP, _MAP),
    "SequenceLength": fixed_template(_MAP),
    "SplitToSequence": fixed_template(_MAP, axis=0),
}
