"""The results of each arithmetic on a case, and their differences from float32."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.fp16.case import Fp16Case
from benchmarks.fp16.rounding import RoundedFp16
from webbuild.errors import WebbuildError
from webbuild.precision.fp16_backends.chromium import SessionFp16
from webbuild.runners.native import NativeRunner

Answer = Mapping[str, NDArray[Any]] | str
Compute = Callable[[Fp16Case], Answer]


class CaseResult(Struct, frozen=True):
    """A case's outputs in float32 and by arithmetic; a text instead says why there are none."""

    case: Fp16Case
    exact: Mapping[str, NDArray[Any]]
    answers: dict[str, Answer]

    def off(self, name: str) -> float | str:
        """Return an arithmetic's difference from float32 relative to the largest magnitude, or why there is none."""
        return self._apart(self.answers[name], self.exact)

    def between(self, name: str, other: str) -> float | str:
        """Return the difference of two arithmetics relative to the largest magnitude in float32."""
        wanted = self.answers[other]
        return wanted if isinstance(wanted, str) else self._apart(self.answers[name], wanted)

    def apart_from_exact(self, answer: Answer) -> float | str:
        """Return the difference of any outputs of the case from float32."""
        return self._apart(answer, self.exact)

    def _apart(self, answer: Answer, wanted: Mapping[str, NDArray[Any]]) -> float | str:
        if isinstance(answer, str):
            return answer
        return max(relative_error(answer[name], wanted[name], self.exact[name]) for name in self.exact)


def relative_error(got: NDArray[Any], wanted: NDArray[Any], exact: NDArray[Any]) -> float:
    """Return the largest difference over the largest finite magnitude of `exact`; infinite if only one is infinite."""
    if got.shape != wanted.shape:
        return float("inf")
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0, np.abs(a - b))
    if not np.isfinite(difference).all():
        return float("inf")
    finite = np.abs(exact[np.isfinite(exact)].astype(np.float64))
    largest = float(finite.max(initial=0))
    return float(difference.max(initial=0)) / (largest or 1.0)


def measure(cases: Sequence[Fp16Case], arithmetics: Mapping[str, Compute]) -> Iterator[CaseResult]:
    """Yield the results of each case."""
    for case in cases:
        exact = NativeRunner(Path(case.name), case.model(np.float32).SerializeToString()).run(case.fed(np.float32))
        yield CaseResult(case, exact, {name: compute(case) for name, compute in arithmetics.items()})


def native(case: Fp16Case) -> Answer:
    """Return the outputs of native ONNX Runtime's own float16 kernels."""
    try:
        return NativeRunner(Path(case.name), case.model(np.float16).SerializeToString()).run(case.fed(np.float16))
    except WebbuildError as error:
        return "no kernel" if "NOT_IMPLEMENTED" in error.message else error.message


def emulated(case: Fp16Case) -> Answer:
    """Return the outputs of the emulation."""
    model = ir.from_proto(case.model(np.float16))
    return RoundedFp16().run(model, [case.fed(np.float16)])[0]


def run_on_backend(engined: SessionFp16, places: dict[str, str]) -> Compute:
    """Return a function that runs a case on a GPU and stores the placement of its nodes in `places`."""

    def compute(case: Fp16Case) -> Answer:
        found: dict[str, NDArray[Any]] = {}
        data = case.model(np.float16).SerializeToString()
        ended = engined.engine.run_model(data, case.fed(np.float16), found.__setitem__, verbose=True)
        places[case.name] = _place(ended.log)
        return found if ended.status == "ran" else f"{ended.status}: {ended.message}"

    return compute


def _place(log: Sequence[str]) -> str:
    names = set(re.findall(r" placed on \[(\w+)\]", "\n".join(log)))
    return "GPU" if names == {"WebGpuExecutionProvider"} else "CPU" if names == {"CPUExecutionProvider"} else "both"
