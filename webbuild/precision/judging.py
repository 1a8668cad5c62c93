"""Whether a graph of float16 gives the same answers on the samples: by the task's own match."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.head import why_repeat
from webbuild.manifest import Graph, PanopticTask, Task
from webbuild.proof import Answer, Proof, judge
from webbuild.prove import answer_of
from webbuild.samples import Sample
from webbuild.tasks.region_modes import in_any_case
from webbuild.verify.native import NativeRunner

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest import OptionInput
    from webbuild.precision.arithmetic import Arithmetic

Arrays = Mapping[str, NDArray[Any]]
_NOTHING = "no comparison says anything"


class Judgement(Struct, frozen=True):
    """What came of a graph on the samples: by output, the largest part of the tolerance that was used.

    `why` is empty where every answer is the same. What comes after the first sample that differs was not run.
    """

    why: str
    used: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest part of a tolerance."""
        return max(self.used.values(), default=math.inf)


class Judging:
    """The reference's answers, and what compares others with them.

    The reference is the same graph in float32, which was proven against the original.

    Args:
        graph: what the float32 graph says of itself, in `folder`.
        folder: the bundle's.
        task: what it is for.
        options: its thresholds, which are inputs.
        values: those to compare at, by option.
        samples: what is run.
    """

    def __init__(
        self,
        graph: Graph,
        folder: Path,
        task: Task,
        options: Sequence[OptionInput],
        values: Mapping[str, float],
        samples: Sequence[Sample],
    ) -> None:
        self._graph = msgspec.structs.replace(graph, precision="mixed")
        self._task: Task = task
        self._values = dict(values)
        given = {each.name: np.array([values[each.option]], np.float32) for each in options}
        runner = NativeRunner(folder / graph.file)
        self._cases: list[tuple[Sample, Arrays, Answer]] = []
        for sample in samples:
            feeds = {**sample.feeds, **given}
            outputs = runner.run(feeds)
            if not why_repeat(graph, outputs):
                self._cases.append((sample, feeds, self._answer(outputs, sample)))
        runner.close()
        if isinstance(task, PanopticTask) and not any(
            want.regions and want.regions.regions for _, _, want in self._cases
        ):
            self._task = in_any_case(task)
            self._cases = [(sample, fed, self._answer(want.outputs, sample)) for sample, fed, want in self._cases]

    @property
    def feeds(self) -> list[Arrays]:
        """The inputs of every run."""
        return [feeds for _, feeds, _ in self._cases]

    def judge(self, model: ir.Model, arithmetic: Arithmetic) -> Judgement:
        """Run a graph and compare. A sample that differs is the first to be run the next time, and alone."""
        used: dict[str, float] = {}
        told = False
        for some in (self._cases[:1], self._cases[1:]):
            found = arithmetic.run(model, [feeds for _, feeds, _ in some]) if some else []
            for case, outputs in zip(list(some), found, strict=True):
                sample, _, want = case
                proofs = self._compare(sample, want, outputs)
                for proof in proofs:
                    if proof.used is not None:
                        used[proof.output] = max(used.get(proof.output, 0.0), proof.used)
                if why := self._why(sample, proofs, outputs):
                    self._cases.remove(case)
                    self._cases.insert(0, case)
                    return Judgement(why, used)
                told = told or any(proof.verdict == "OK" and proof.objects != 0 for proof in proofs)
        return Judgement("" if told else _NOTHING, used)

    def _why(self, sample: Sample, proofs: Sequence[Proof], outputs: Arrays) -> str:
        differing = next((proof for proof in proofs if proof.verdict == "DIFFERS"), None)
        if differing is not None:
            return f"{differing.output} on {sample.name}: {differing.why}"
        why = why_repeat(self._graph, outputs)
        return why and f"{sample.name}: {why}"

    def _compare(self, sample: Sample, want: Answer, outputs: Arrays) -> list[Proof]:
        got = self._answer(outputs, sample)
        return judge(sample, self._graph, self._task, self._values, want, got, repeated=False)

    def _answer(self, outputs: Arrays, sample: Sample) -> Answer:
        status = self._graph.status
        own = {name: array for name, array in outputs.items() if status is None or name != status.output}
        return answer_of(self._task, own, sample, self._values)
