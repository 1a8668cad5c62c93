"""The page about float16 arithmetic, written from what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from bench.half.bounds import EXPLAINED
from bench.half.rows import Figure, Row, within

HARMFUL = 0.01
"""A difference that `pack` takes for another answer: 1 % of an output's largest magnitude."""

_HEAD = """# Float16 arithmetic

What computes in half precision here, how far the ways to do so agree, and which parts of vision models it spoils.
Written by `python -m bench.half --write`; every number is from that run.

`pack --precision` measures its graphs on the best of three, and its report says which and why:

1. **Chromium**, where its adapter has `shader-f16`: what visitors have. SwiftShader, the software adapter that is used
   unless `WEBBUILD_GPU=real`, has none.
2. **Dawn for Node**: the WebGPU of Chromium in Node.js, on Mesa's lavapipe or another Vulkan driver with
   `shader-f16`. It runs the kernels that a browser runs, as the same build of onnxruntime-web. It is optional:

       npm install --no-save webgpu@0.6.2
       echo 'deb http://deb.debian.org/debian bookworm-backports main' > /etc/apt/sources.list.d/backports.list
       apt-get update && apt-get install -t bookworm-backports mesa-vulkan-drivers

   `WEBBUILD_NODE` names another Node.js, `WEBBUILD_DAWN` the folder of the package `webgpu`, `VK_ICD_FILENAMES` the
   driver (lavapipe's is found where Debian puts it; Debian 12's own Mesa 22 is too old, backports have 25).
3. **Emulation**: native ONNX Runtime computes each operator in float32, and what it makes is rounded to float16. It is
   always there. It does not know what happens inside an operator: a GPU's kernels add in float16, so that sums of
   many terms are less exact there, and may become infinite on the way.

Native ONNX Runtime's own float16 is no measure: its CPU kernels compute many operators in float32, fuse away the
Casts between them, and others it does not have.
"""
_OPERATORS = """
## Single operators

How far each is from float32 on the same numbers, which float16 has, as a share of the answer's largest magnitude; and
how far Dawn and native ONNX Runtime are from the emulation. They may be apart by `bound`: nothing for operators that
only move numbers; else four halves of a unit in the last place (`2^-9`), and `2^-11 sqrt(n)` more for a sum of `n`
terms, whose roundings add up like a random walk where it is kept in float16.
"""
_TRAPS = """
## What vision models do

Short graphs with the numbers that do harm. An answer that is off by more than 1 % counts as another one. `kept` are
the operators that the conversion keeps in float32, from what the graph says and from the ranges on the samples, which
are the case's own numbers; `then` is what becomes of the answer. Two are not about float16, and stay: a
Sigmoid that the GPU computes as 0 in float32 too, whose logarithm is infinite, and its Softmax of a row of which all is
`-inf`, which is 0 and not NaN.
"""


class Measurement(Struct, frozen=True, rename="camel"):
    """All that was measured, and on what."""

    engines: dict[str, str]
    operators: list[Row]
    traps: list[Row]


def page(found: Measurement) -> str:
    """Return the page as Markdown."""
    lines = [_HEAD, "Measured with:", "", *(f"- {name}: {what}" for name, what in found.engines.items())]
    return "\n".join([*lines, *_operators(found.operators), *_traps(found.traps)]) + "\n"


def _operators(rows: Sequence[Row]) -> Iterator[str]:
    names = list(rows[0].off)
    others = list(rows[0].apart)
    yield _OPERATORS
    yield _line("operator", "on", *(f"{name}, off" for name in names), *(f"{each}, apart" for each in others), "bound")
    yield _line(*["---"] * (3 + len(names) + len(others)))
    for row in rows:
        figures = [_shown(row.off[name]) for name in names] + [_shown(row.apart[name]) for name in others]
        yield _line(row.name, row.place or "", *figures, _shown(row.bound))
    apart = [row for row in rows if not row.agrees]
    yield ""
    yield f"{len(rows) - len(apart)} of {len(rows)} agree." + (" Not so:" if apart else "")
    yield from (
        ("", *(f"- {row.name}: {EXPLAINED.get(row.name, 'no reason is known')}." for row in apart)) if apart else ()
    )


def _traps(rows: Sequence[Row]) -> Iterator[str]:
    names, real = list(rows[0].off), list(rows[0].converted)
    yield _TRAPS
    yield _line("what", *(f"{name}, off" for name in names), "kept", *(f"then, {name}" for name in real))
    yield _line(*["---"] * (2 + len(names) + len(real)))
    for row in rows:
        figures = [_harm(row.off[name]) for name in names]
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
    """Show a figure, in bold where it is another answer."""
    text = _word(value) if isinstance(value, str) else "0" if value == 0 else f"{value:.2%}"
    return text if within(value, HARMFUL) else f"**{text}**"


def _word(value: str) -> str:
    return value if value in ("no number", "no kernel") else "throws"
