"""The reference of a verification: native ONNX Runtime on the bundle's WASM graph, checked by the golden run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from webbuild.compare.comparison import Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.exact_inputs import exact_inputs, run_input
from webbuild.equivalence.policy import Policy, browser_policy
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Manifest, OptionInput
from webbuild.manifest.states import state_inputs
from webbuild.model.traversal import outputs_within_one, rounded_outputs
from webbuild.runners.native import NativeRunner
from webbuild.runners.stateful import StatefulRuns
from webbuild.runners.tensors import Tensors
from webbuild.tasks.registry import kind_of
from webbuild.tasks.run_context import RunContext
from webbuild.verify.bundle import Bundle
from webbuild.verify.golden_reader import read_golden, read_golden_sequence
from webbuild.verify.inputs import VerifyInput, option_feeds
from webbuild.verify.merged_weights import materialize_graph


def reference_runner(bundle: Bundle) -> NativeRunner:
    """Open the graph with the model's own operators: the WASM graph.

    Raises:
        WebbuildError: `reference-session-failed`, `cannot-merge-weights`.
    """
    with materialize_graph(bundle, bundle.graph("wasm") or bundle.manifest.graphs[-1]) as path:
        return NativeRunner(path)


def run_reference(bundle: Bundle, runner: NativeRunner, inputs: Sequence[VerifyInput]) -> Reference:
    """Compute the reference's answers; the last step of a sequence includes the final states.

    Raises:
        WebbuildError: `reference-run-failed`, `missing-output`.
    """
    known = thresholds_of(bundle.manifest)
    run_inputs = [
        _run_input(
            bundle.manifest,
            each.title,
            each.feeds,
            msgspec.structs.replace(
                known, placement=each.placement, prompt=each.prompt, picture_file=each.file, hole=each.hole
            ),
            continues=each.continues,
        )
        for each in inputs
    ]
    in_turn = StatefulRuns(runner.run, state_inputs(bundle.manifest.inputs))
    last = {each.title for each in inputs if each.ends}
    return Reference(
        lambda each: _run_outputs(bundle, runner, in_turn, each, with_states=each.name in last),
        run_inputs,
        bundle.manifest.task,
        policy_of(bundle, "native"),
        runner.perturbed,
    )


def _run_input(
    manifest: Manifest, name: str, feeds: Tensors, context: RunContext, *, continues: bool = False
) -> RunInput:
    return run_input(name, feeds, exact_inputs(manifest.inputs), context, continues=continues)


def _run_outputs(
    bundle: Bundle, runner: NativeRunner, in_turn: StatefulRuns, run_input: RunInput, *, with_states: bool
) -> Tensors:
    outputs = in_turn({**run_input.feeds, **run_input.fixed}, continues=run_input.continues)
    missing = [spec.name for spec in bundle.manifest.outputs if spec.name not in outputs]
    if missing:
        raise WebbuildError(
            "missing-output",
            f"{runner.path.name} does not compute {', '.join(missing)}, which the manifest lists",
            "pack the model again",
        )
    names = [spec.name for spec in bundle.manifest.outputs]
    if with_states:  # an all-zero state has no signal; the other steps prove it
        names += [spec.output for spec in state_inputs(bundle.manifest.inputs) if outputs[spec.output].any()]
    return {name: outputs[name] for name in names}


def thresholds_of(manifest: Manifest) -> RunContext:
    """Return the thresholds at which the samples of a bundle are compared."""
    exported: dict[str, float] = {
        spec.option: spec.default for spec in manifest.inputs if isinstance(spec, OptionInput)
    }
    defaults = kind_of(manifest.task).default_thresholds(manifest.task)
    return RunContext(thresholds={**exported, **defaults, **manifest.evaluation_thresholds})


def policy_of(bundle: Bundle, runner: str) -> Policy:
    """Return the policy of a runner: `native`, or the name of a graph."""
    file = _reference_file(bundle)
    return browser_policy(bundle.graph(runner), *_kinds_of_outputs(file, _file_state(file)))


def _reference_file(bundle: Bundle) -> Path:
    """Return the file of the reference graph; its weights may be in parts next to it."""
    return bundle.graph_path(bundle.graph("wasm") or bundle.manifest.graphs[-1])


def _file_state(path: Path) -> tuple[int, int]:
    """Return a key that changes with a file's content."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@cache
def _kinds_of_outputs(path: Path, _state: tuple[int, int]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the outputs within -1..1 and the rounded outputs of a graph; cached, as each comparison needs them."""
    return outputs_within_one(path), rounded_outputs(path)


def check_golden_run(bundle: Bundle, runner: NativeRunner) -> list[Comparison]:
    """Compare native results with those recorded when the bundle was packed, perhaps on another machine."""
    recorded = read_golden(bundle)
    if recorded is None:
        return []
    inputs, answers = recorded
    feeds = {**option_feeds(bundle.manifest), **inputs}
    run_input = _run_input(bundle.manifest, "golden", feeds, thresholds_of(bundle.manifest))
    comparisons = _check_recorded(bundle, run_input, answers, runner.run)
    if sequence := read_golden_sequence(bundle):
        steps, last = sequence
        several = msgspec.structs.replace(run_input, name=f"golden, {steps} runs")
        runs = StatefulRuns(runner.run, state_inputs(bundle.manifest.inputs))
        comparisons += _check_recorded(bundle, several, last, lambda feeds: _run_repeatedly(runs, feeds, steps))
    return comparisons


def _check_recorded(
    bundle: Bundle, run_input: RunInput, answers: Tensors, run: Callable[[Tensors], Tensors]
) -> list[Comparison]:
    policy = msgspec.structs.replace(policy_of(bundle, "native"), predictions="none")
    task, outputs = bundle.manifest.task, {name: np.array(value) for name, value in answers.items()}

    def recorded_outputs(each: RunInput) -> Tensors:
        run_outputs = run({**each.feeds, **each.fixed})
        return {name: run_outputs[name] for name in outputs}

    reference = Reference(recorded_outputs, [run_input], task, policy)
    return compare_runs(reference, "recorded", [Answer(task, outputs, run_input.context)], policy)


def _run_repeatedly(runs: StatefulRuns, feeds: Tensors, steps: int) -> Tensors:
    """Return the outputs of the last of several runs, each with the states of the previous run."""
    for step in range(steps - 1):
        runs(feeds, continues=step > 0)
    return runs(feeds, continues=True)
