"""From a graph of float32 to the one in half precision that goes into the bundle beside it, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import write_variant
from webbuild.bundle.precision import Searched
from webbuild.errors import USAGE, WebbuildError
from webbuild.inspection.quantities import counted
from webbuild.precision.arithmetic import Emulated, choose_arithmetic
from webbuild.precision.budget import Budget
from webbuild.precision.compact import compact
from webbuild.precision.judging import Judging
from webbuild.precision.proving import Proving
from webbuild.precision.search import Found, Search
from webbuild.precision.told import told, unsearched, weights_of
from webbuild.prove import Witness
from webbuild.prove_variant import prove_variant

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest import Graph, OptionInput, Precision, Task
    from webbuild.precision.arithmetic import Arithmetic
    from webbuild.samples import Sample
    from webbuild.talk import Talk
    from webbuild.targets.table import Table

_STAYS = ("arithmetic-failed", "not-proven", "proved-nothing")
"""Errors with which `auto` leaves a model in float32."""
_SLOW = "{} computes on the CPU, slowly: it proves what was found, and searches where that is not so"
Asked = Literal["fp32", "fp16", "mixed", "auto"]


class Varied(Struct, frozen=True):
    """The graphs of a bundle, the best first, their proof, and what was searched.

    `arithmetic` computed the one in half precision for the proof, empty where there is none.
    """

    graphs: list[Graph]
    witness: Witness
    searched: Searched
    arithmetic: str = ""


def vary(
    asked: Asked,
    model: ir.Model,
    table: Table | None,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    witness: Witness,
    budget: Budget,
    talk: Talk,
    *,
    browser: bool,
) -> Varied:
    """Search, write what was found to `folder`, and prove it.

    Args:
        asked: `fp16` for all that can be float16, `mixed` for what may be, `auto` for that if it pays.
        model: the graph for WebGPU.
        table: of the build it is for.
        graphs: those that were written, and proven.
        folder: the bundle's.
        task: what it is for.
        options: its thresholds, which are inputs.
        samples: to search and to prove on.
        witness: the proof of `graphs`.
        budget: what the search may cost, and has to save.
        talk: where it is told.
        browser: whether Chromium may be asked to compute.

    Raises:
        WebbuildError: `no-half`, `half-differs`, `arithmetic-failed`, `not-proven` or `proved-nothing`. None of them
            with `auto`: the model then stays as it is.
    """
    graph = next((graph for graph in graphs if graph.target == "webgpu"), None)
    if graph is None:
        why = "there is no graph for WebGPU, which alone has float16"
        if asked != "auto":
            raise WebbuildError("no-half", why, "pack it with --precision fp32, or auto, which leaves it so")
        return Varied(list(graphs), witness, unsearched(asked, why, model, "nothing"))
    with choose_arithmetic(browser=browser) as best:
        judging = Judging(graph, folder, task, options, witness.thresholds, samples)

        def searched(computes: Arithmetic) -> Varied:
            search = Search(model, table, judging, computes, budget, lambda line: talk.say(f"    {line}"))
            found = search.run(whole=asked == "fp16")
            _tell(found, talk)
            if (why := _refusal(asked, model, found, budget)) and asked != "auto":
                raise WebbuildError("half-differs", why, _mend(asked))
            if why or found.halved is None:
                return Varied(list(graphs), witness, told(asked, "fp32", why, model, found, computes))
            half, named = found.halved.model, _named(found)
            proving = Proving(best, computes, talk.say)
            like = msgspec.structs.replace(graph, precision=named)
            proven = prove_variant(like, partial(proving.run, half), task, options, samples, witness)
            variant = write_variant(compact(half), named, folder / "model")
            report = told(asked, named, _result(found), model, found, computes)
            return Varied([variant, *graphs], proven, report, proving.name)

        try:
            if "lavapipe" not in best.name:
                return searched(best)
            try:
                return searched(Emulated(_SLOW.format(best.name)))
            except WebbuildError as error:
                if error.code != "not-proven":
                    raise
                talk.say(f"    {best.name}: {error.message}; searched again in its arithmetic, slowly")
                return searched(best)
        except WebbuildError as error:
            if asked != "auto" or error.code not in _STAYS:
                raise
            computed = f"{best.name}: {best.why}"
            return Varied(list(graphs), witness, unsearched(asked, error.message, model, computed))


def _tell(found: Found, talk: Talk) -> None:
    runs = counted(len(found.evaluations), "evaluation")
    talk.say(f"    {runs} in {found.seconds:.1f} s, {found.busy:.1f} s of processor time")


def one_of_two(precision: Asked, weights: str) -> None:
    """See that a model is made smaller in one way only. Raises WebbuildError `two-reductions`."""
    if precision != "fp32" and weights != "fp32":
        raise WebbuildError(
            "two-reductions",
            f"--precision {precision} and --weights {weights} are not combined",
            "say one of them: int8 is smaller to download, float16 also to run",
            exit_code=USAGE,
        )


def _named(found: Found) -> Precision:
    """Return what the graph is called: `fp16` where all is that could be, `mixed` where the search kept some."""
    return "fp16" if len(found.evaluations) == 1 else "mixed"


def _refusal(asked: Asked, model: ir.Model, found: Found, budget: Budget) -> str:
    """Return why no graph in half precision is shipped, empty where one is."""
    first = next((each.why for each in found.evaluations if each.why), "")
    if not found.evaluations:
        return "nothing in it can be float16: every node is kept for what it is, or for what goes through it"
    if found.halved is None:
        return f"with {found.evaluations[-1].share.mean:.0%} of it in float16 the answers differ: {first}"
    before, after = weights_of(model), weights_of(found.halved.model)
    if asked == "auto" and after > (1 - budget.saving) * before:
        return f"float16 would save {1 - after / max(before, 1):.0%} of the weights, less than {budget.saving:.0%}"
    return ""


def _mend(asked: Asked) -> str:
    if asked == "fp16":
        return "say --precision mixed, which keeps in float32 what has to be, or auto, which does so only where it pays"
    return "pack it with --precision fp32, or auto, which leaves it so; --budget evaluations=40 searches longer"


def _result(found: Found) -> str:
    right = [each for each in found.evaluations if not each.why]
    worst = max((part for part in right[-1].used.values()), default=0.0)
    return f"the answers are the same, at {worst:.2g} of the tolerance"
