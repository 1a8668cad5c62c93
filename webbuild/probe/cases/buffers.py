"""More tensors in one node than a shader may bind: 8 on many devices, 10 on more."""

from __future__ import annotations

from collections.abc import Iterator

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, int64, node

_COUNTS = (7, 8, 9, 10, 12, 17, 33)


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    for count in _COUNTS:
        many = [draw.floats(2, 3) for _ in range(count)]
        yield node(f"buffers/Concat {count}", "Concat", *many, axis=0)
        yield node(f"buffers/Concat {count} last axis", "Concat", *many, axis=-1)
        yield node(f"buffers/Split {count}", "Split", draw.floats(2 * count, 3), outputs=count, opset=13, axis=0)
        sizes = int64(*[1] * count)
        yield node(f"buffers/Split {count} last axis", "Split", draw.floats(3, count), sizes, outputs=count, axis=-1)
        for op in ("Sum", "Max", "Min", "Mean"):
            yield node(f"buffers/{op} {count}", op, *many)
    for count in (8, 12):
        ints = [draw.ints(2, 3) for _ in range(count)]
        yield node(f"buffers/Concat {count} int32", "Concat", *ints, axis=0)
