"""The page about float16 arithmetic, written from the measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from benchmarks.fp16.rows import Figure, Fp16Row, is_within
from benchmarks.fp16.tolerance import KNOWN_DIFFERENCES

LARGE_ERROR = 0.01
"""The smallest difference that `pack` treats as wrong: 1 % of an output's largest magnitude."""

_HEAD = """# Float16 arithmetic

How closely the ways to compute float16 agree, and which parts of vision models become wrong in float16.
Written by `python -m benchmarks.fp16 --write`; every number is from that run.

`pack --precision` computes float16 graphs in up to two ways, and its report says which one the proof used:

1. **Emulation**: native ONNX Runtime computes each operator in float32, adds an error as large as a float16 kernel may
   have, and rounds the result to float16. It is always available. The search uses it.
2. **Chromium**, if its adapter has `shader-f16`: the arithmetic of visitors. It confirms the result of the search.
   SwiftShader, the default software adapter, lacks `shader-f16`; `python -m benchmarks.lavapipe` writes a Chromium with
   an adapter that has it.

A kernel sums in float16: each of `n` additions rounds a partial sum by up to `u = 2^-11` of it, and these errors add up
like a random walk. For a sum `y` of terms `t`, the size of the walk is `u sqrt(n (y^2 / 3 + sum(t^2) / 2))`; the second
sum is the same operator on squares. The emulation adds an error of up to twice that, different for each element and
each input; in theory, a kernel that rounds to nearest has 0.42 of it. Functions, normalizations and reductions have
their own error bounds (`webbuild/precision/fp16_backends/kernel_errors.py`). The tests check that on the adapter no
operator of the table below exceeds its bound. The columns "emulated" have the rounding only, without these errors.

Firefox on lavapipe computes the same as Chromium, with four exceptions: its float16 kernels of Clip (unless directly
after a Conv), Pad, ThresholdedRelu and a cubic Resize do not compile; the last two do not compile in Chromium either.
These nodes stay float32. For a model that was exported in float16, `inspect` names them.

The columns "Dawn on lavapipe" were measured with Dawn, Chromium's WebGPU implementation, in Node.js. The command now
measures in Chromium.

Native ONNX Runtime's own float16 is not a reference: its CPU kernels compute many operators in float32, remove the
Casts between them, and some operators have no float16 kernel.
"""
_OPERATORS = """
## Single operators

- error: the largest difference from float32 on the same inputs, which are exact in float16, relative to the output's
  largest magnitude.
- from emulation: the same difference between the GPU, or native ONNX Runtime, and the emulation.
- bound: the largest allowed difference from the emulation. It is 0 for operators that only move data, else two units in
  the last place (`2^-9`). A sum of `n` terms may differ by `2^-11 sqrt(n)` more.
"""
_TRAPS = """
## Parts of vision models

Short graphs with values that are difficult in float16. An output with an error above 1 % counts as wrong. The
conversion keeps the operators in the column "kept in float32", because of the graph or of the ranges on the samples;
here the samples are the graph's own inputs. The last columns have the errors of the converted graph. Two graphs stay
wrong, but not because of float16: a Sigmoid that the GPU computes as 0 in float32 too, so that its logarithm is
infinite, and a Softmax of a row of only `-inf`, which the GPU computes as 0 instead of NaN.
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
    yield _line(
        "operator",
        "on",
        *(f"{name}, error" for name in names),
        *(f"{each}, from emulation" for each in others),
        "bound",
    )
    yield _line(*["---"] * (3 + len(names) + len(others)))
    for row in rows:
        figures = [_shown(row.float32_error[name]) for name in names] + [
            _shown(row.emulation_error[name]) for name in others
        ]
        yield _line(row.name, row.place or "", *figures, _shown(row.bound))
    apart = [row for row in rows if not row.agrees]
    yield ""
    yield f"{len(rows) - len(apart)} of {len(rows)} are within the bound." + (" The others:" if apart else "")
    yield from (
        ("", *(f"- {row.name}: {KNOWN_DIFFERENCES.get(row.name, 'no reason is known')}." for row in apart))
        if apart
        else ()
    )


def _traps(rows: Sequence[Fp16Row]) -> Iterator[str]:
    names, real = list(rows[0].float32_error), list(rows[0].converted)
    yield _TRAPS
    yield _line(
        "graph", *(f"{name}, error" for name in names), "kept in float32", *(f"converted, {name}" for name in real)
    )
    yield _line(*["---"] * (2 + len(names) + len(real)))
    for row in rows:
        figures = [_harm(row.float32_error[name]) for name in names]
        yield _line(
            row.name, *figures, ", ".join(sorted(row.kept)) or "nothing", *(_harm(row.converted[n]) for n in real)
        )
    reasons = sorted({f"- {op}: {reason}" for row in rows for op, reason in row.kept.items()})
    yield from ("", "Why they stay float32:", "", *reasons)


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
