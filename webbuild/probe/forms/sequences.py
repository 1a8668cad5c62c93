"""Operators on sequences and on values that may be missing. Which type an input has, its schema says."""

from __future__ import annotations

from webbuild.probe.form import always, code

_MAP = (2, 3)

FORMS = {
    "ConcatFromSequence": always(_MAP, axis=0),
    "Optional": always(_MAP),
    "OptionalGetElement": always(_MAP),
    "OptionalHasElement": always(_MAP),
    "SequenceAt": always(_MAP, ()),
    "SequenceConstruct": always(_MAP, _MAP),
    "SequenceEmpty": always(dtype=code),
    "SequenceErase": always(_MAP, ()),
    "SequenceInsert": always(_MAP, _MAP),
    "SequenceLength": always(_MAP),
    "SplitToSequence": always(_MAP, axis=0),
}
