"""Stages one after another: each takes outputs of those before it."""

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
"""What reports call all stages, one after another."""


def chain_feeds(stage: str, inputs: Sequence[Input], feeds: Tensors) -> dict[str, NDArray[Any]]:
    """Return the feeds of a stage as those of a chain: by "stage.input", without what it takes from other stages."""
    joined = {spec.name for spec in stage_inputs(inputs)}
    return {f"{stage}.{name}": array for name, array in feeds.items() if name not in joined}


def stage_feeds(stage: str, feeds: Tensors) -> dict[str, NDArray[Any]]:
    """Return what a chain's feeds hold for a stage, by its own names."""
    return {key.removeprefix(f"{stage}."): array for key, array in feeds.items() if key.startswith(f"{stage}.")}


def run_chain(stages: Sequence[tuple[str, Sequence[Input], RunStage]], feeds: Tensors) -> Tensors:
    """Run stages in turn, each given by its name, its inputs and what runs it; return the last one's outputs."""
    tensors: dict[tuple[str, str], NDArray[Any]] = {}
    outputs: Tensors = {}
    for name, inputs, run in stages:
        own = stage_feeds(name, feeds)
        joined = {spec.name: tensors[spec.stage, spec.output].astype(spec.dtype) for spec in stage_inputs(inputs)}
        outputs = run({**own, **joined})
        tensors |= {(name, key): array for key, array in outputs.items()}
    return outputs


def perturbing_all(
    runners: Sequence[NativeRunner],
) -> Callable[[Callable[[Tensors], Tensors]], AbstractContextManager[None]]:
    """Return what perturbs the weights of all runners while it is entered, as `NativeRunner.perturbed` does of one."""

    @contextmanager
    def perturbed(change: Callable[[Tensors], Tensors]) -> Iterator[None]:
        with ExitStack() as stack:
            for each in runners:
                stack.enter_context(each.perturbed(change))
            yield

    return perturbed
