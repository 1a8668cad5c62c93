"""Run the stages of a bundle in order: each may take outputs of earlier stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from numpy.typing import NDArray

from webbuild.manifest.manifest import Input
from webbuild.manifest.stages import stage_inputs
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors

RunStage = Callable[[Tensors], Tensors]
ALL_STAGES = "whole"
"""The name in reports of the chain of all stages."""


def chain_feeds(stage: str, inputs: Sequence[Input], feeds: Tensors) -> dict[str, NDArray[Any]]:
    """Return the feeds of a stage as feeds of a chain: by "stage.input", without outputs of other stages."""
    joined = {spec.name for spec in stage_inputs(inputs)}
    return {f"{stage}.{name}": array for name, array in feeds.items() if name not in joined}


def stage_feeds(stage: str, feeds: Tensors) -> dict[str, NDArray[Any]]:
    """Return a stage's feeds from a chain's feeds, by the stage's input names."""
    return {key.removeprefix(f"{stage}."): array for key, array in feeds.items() if key.startswith(f"{stage}.")}


def run_chain(stages: Sequence[tuple[str, Sequence[Input], RunStage]], feeds: Tensors) -> Tensors:
    """Run stages in order, each given as (name, inputs, function that runs it); return the last stage's outputs."""
    tensors: dict[tuple[str, str], NDArray[Any]] = {}
    outputs: Tensors = {}
    for name, inputs, run in stages:
        external = stage_feeds(name, feeds)
        joined = {spec.name: tensors[spec.stage, spec.output].astype(spec.dtype) for spec in stage_inputs(inputs)}
        outputs = run({**external, **joined})
        tensors |= {(name, key): array for key, array in outputs.items()}
    return outputs


def perturbing_all(
    runners: Sequence[NativeRunner],
) -> Callable[[Callable[[Tensors], Tensors]], AbstractContextManager[None]]:
    """Return a context manager like `NativeRunner.perturbed` that perturbs the weights of all runners."""

    @contextmanager
    def perturbed(change: Callable[[Tensors], Tensors]) -> Iterator[None]:
        with ExitStack() as stack:
            for each in runners:
                stack.enter_context(each.perturbed(change))
            yield

    return perturbed
