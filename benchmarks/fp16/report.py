"""The page about float16 arithmetic, written from the measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from benchmarks.fp16.rows import Figure, Fp16Row, is_within
from benchmarks.fp16.tolerance import KNOWN_DIFFERENCES

LARGE_ERROR = 0.01
"""The smallest difference that `pack` treats as wrong: 1 % of an output's largest magnitude."""

_HEAD = """# Float16 arithmetic

What computes in half precision here, how far the ways to do so agree, and which parts of vision models it spoils.
Written by `python -m benchmarks.fp16 --write`; every number is from that run.

`pack --precision` measures its graphs in up to two ways, and its report says what computed the proof:

1. **Emulation**: native ONNX Runtime computes each operator in float32, adds an error as large as a kernel's may be,
   and rounds the result to float16. It is always there, and searches.
2. **Chromium**, where its adapter has `shader-f16`: what visitors have. It confirms. SwiftShader, the software adapter
   that is used unless `WEBBUILD_GPU=real`, has none; `python -m benchmarks.lavapipe` makes a Chromium that has it.

A kernel adds in float16: each of `n` additions rounds a partial sum by up to `u = 2^-11` of it, and the roundings add
up like a random walk. For a sum `y` of terms `t` the walk is of `u sqrt(n (y^2 / 3 + sum(t^2) / 2))`; the second sum is
the same operator on squares. The emulation is off by up to twice that, by another part of it for every element and
every input; kernels that round to nearest are off by 0.42 of it in theory. Functions, norms and reductions have
bounds of their own (`webbuild/precision/fp16_backends/kernel_errors.py`). The tests see that no operator of the table
below is further from float32 on the adapter. The columns "emulated" are without these errors.

Firefox computes on lavapipe what Chromium computes, with four exceptions: its float16 kernels of Clip (but for one
right after a Conv), Pad, ThresholdedRelu and a cubic Resize do not compile; the last two do not in Chromium either.
Those nodes stay float32. In a model that was exported in float16 `inspect` names them.

The columns "Dawn on lavapipe" were measured with Dawn, Chromium's WebGPU, on its own in Node.js; what is measured
now is measured in Chromium itself.

Native ONNX Runtime's own float16 is no measure: its CPU kernels compute many operators in float32, fuse away the
Casts between them, and others it does not have.
"""
_OPERATORS = """
## Single operators

How far each is from float32 on the same numbers, which float16 has, as a share of the answer's largest magnitude; and
how far a GPU and native ONNX Runtime are from the emulation. They may be apart by `bound`: nothing for operators that
only move numbers; else four halves of a unit in the last place (`2^-9`), and `2^-11 sqrt(n)` more for a sum of `n`
terms, whose roundings add up like a random walk where it is kept in float16.
"""
_TRAPS = """
## What vision models do

Short graphs with harmful values. An output that is off by more than 1 % counts as wrong. `kept` has the operators
that the conversion keeps in float32, because of the graph or of the ranges on the samples, which are the case's own
values; `then` is the output after that. Two cases are not about float16, and stay wrong: a Sigmoid that the GPU
computes as 0 in float32 too, so that its logarithm is infinite, and a Softmax of a row of only `-inf`, which the GPU
computes as 0 instead of NaN.
"""


class Fp16Measurement(Struct, frozen=True, rename="camel"):
    """All measurements, and the adapter and versions."""

    engines: dict[str, str]
    operators: list[Fp16Row]
    traps: list[Fp16Row]


def render_page(found: Fp16Measurement) -> str:
    """Return the page as Markdown."""
    lines = [_HEAD, "Measured with:", "", *(f"- {name}: {what}" for name, what in found.engines.items())]
    return "\n".join([*lines, *_operators(found.operators), *_traps(found.traps)]) + "\n"


def _operators(rows: Sequence[Fp16Row]) -> Iterator[str]:
    names = list(rows[0].float32_error)
    others = list(rows[0].emulation_error)
    yield _OPERATORS
    yield _line("operator", "on", *(f"{name}, off" for name in names), *(f"{each}, apart" for each in others), "bound")
    yield _line(*["---"] * (3 + len(names) + len(others)))
    for row in rows:
        figures = [_shown(row.float32_error[name]) for name in names] + [
            _shown(row.emulation_error[name]) for name in others
        ]
        yield _line(row.name, row.place or "", *figures, _shown(row.bound))
    apart = [row for row in rows if not row.agrees]
    yield ""
    yield f"{len(rows) - len(apart)} of {len(rows)} agree." + (" Not so:" if apart else "")
    yield from (
        ("", *(f"- {row.name}: {KNOWN_DIFFERENCES.get(row.name, 'no reason is known')}." for row in apart))
        if apart
        else ()
    )


def _traps(rows: Sequence[Fp16Row]) -> Iterator[str]:
    names, real = list(rows[0].float32_error), list(rows[0].converted)
    yield _TRAPS
    yield _line("what", *(f"{name}, off" for name in names), "kept", *(f"then, {name}" for name in real))
    yield _line(*["---"] * (2 + len(names) + len(real)))
    for row in rows:
        figures = [_harm(row.float32_error[name]) for name in names]
        yield _line(
            row.name, *figures, ", ".join(sorted(row.kept)) or "nothing", *(_harm(row.converted[n]) for n in real)
        )
    reasons = sorted({f"- {op}: {reason}" for row in rows for op, reason in row.kept.items()})
    yield from ("", "Why they are kept:", "", *reasons)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', ' ') for cell in cells)} |"


def _shown(value: Figure) -> str:
    return _word(value) if isinstance(value, str) else "0" if value == 0 else f"{value:.4%}"


def _harm(value: Figure) -> str:
    """Format a figure, in bold if it counts as wrong."""
    text = _word(value) if isinstance(value, str) else "0" if value == 0 else f"{value:.2%}"
    return text if is_within(value, LARGE_ERROR) else f"**{text}**"


def _word(value: str) -> str:
    return value if value in ("no number", "no kernel") else "throws"
