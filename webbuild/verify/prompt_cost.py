"""Cost of prompts on a picture encoded once: no earlier stage may run again, and only the result is read back."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from webbuild.reporting.quantities import format_bytes
from webbuild.verify.bundle import Bundle
from webbuild.verify.pipeline_graphs import pipeline_graphs
from webbuild.verify.pipeline_page_runner import AnsweredPrompt, PipelinePageRunner
from webbuild.verify.report import Problem, PromptCost

_MAX_EXTRA_BYTES = 4096
"""Bytes that may be read back in addition to a result's arrays: scores and boxes."""


def measure_prompt_cost(runner: PipelinePageRunner) -> PromptCost | None:
    """Return the cost of all prompts in a page, None without prompts."""
    if not runner.asked:
        return None
    costliest = max(_after_first_result(runner.asked) or runner.asked, key=lambda each: each.cost.read_bytes or 0)
    return PromptCost(
        prompts=len(runner.asked),
        pictures=len(runner.looks),
        encoding=statistics.median(runner.looks),
        earlier_runs=sum(each.cost.earlier_runs for each in runner.asked),
        read_bytes=costliest.cost.read_bytes,
        result_bytes=costliest.answer_bytes,
    )


def prompt_cost_problems(pipeline: Bundle, name: str, runner: PipelinePageRunner) -> Iterator[Problem]:
    """Yield problems if a prompt ran an earlier stage again, or read back more than its result from the GPU."""
    if any(each.cost.earlier_runs for each in runner.asked):
        yield Problem(
            code="stage-ran-again",
            where=name,
            message="stages before the last ran again for a prompt on a picture that they had already processed",
            fix="this is a bug of webbuild: report it with the bundle",
        )
    last = pipeline_graphs(pipeline, name)[pipeline.stage]
    stays = last.target == "webgpu" and last.all_on_gpu and not last.cpu_nodes
    costliest = max(
        filter(_reads_more, _after_first_result(runner.asked)), key=lambda each: each.cost.read_bytes or 0, default=None
    )
    if stays and costliest is not None:
        read = format_bytes(costliest.cost.read_bytes or 0)
        yield Problem(
            code="reads-back",
            where=name,
            message=f"a prompt read back {read} from the GPU, for a result of {format_bytes(costliest.answer_bytes)}",
            fix="this is a bug of webbuild: report it with the bundle",
        )


def _after_first_result(prompts: Sequence[AnsweredPrompt]) -> list[AnsweredPrompt]:
    """Return the prompts without the first of each graph: at the first, the runtime compares the GPU with the CPU."""
    firsts = {each.form: each for each in reversed(prompts)}
    return [each for each in prompts if each is not firsts[each.form]]


def _reads_more(prompt: AnsweredPrompt) -> bool:
    cost = prompt.cost
    return cost.on_gpu and cost.read_bytes is not None and cost.read_bytes > prompt.answer_bytes + _MAX_EXTRA_BYTES
