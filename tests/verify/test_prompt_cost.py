"""The cost limits of prompts on an image: no run of an earlier stage, only the result is read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.manifests import stages_manifest
from webbuild.manifest.manifest import Manifest
from webbuild.verify.bundle import Bundle
from webbuild.verify.formatting import prompt_cost_text
from webbuild.verify.graph_choice import LoadedGraphs
from webbuild.verify.page_messages import AskCost
from webbuild.verify.pipeline_graphs import pipeline_names
from webbuild.verify.pipeline_page_runner import AnsweredPrompt, PipelinePageRunner
from webbuild.verify.prompt_cost import measure_prompt_cost, prompt_cost_problems
from webbuild.verify.report import PromptCost

ANSWER = 70_000


def whole(manifest: Manifest, tmp_path: Path) -> Bundle:
    stages = tuple(Bundle(tmp_path, each, stage=each.stage_name or "") for each in manifest.every_stage)
    return Bundle(tmp_path, stages[-1].manifest, "whole", stage=stages[-1].stage, all_stages=stages)


def on_webgpu(manifest: Manifest) -> Manifest:
    """Return the manifest with every graph on the GPU, including half precision for the first stage."""
    full = [replace(each, target="webgpu", all_on_gpu=True, head_status=None, cpu_nodes=[]) for each in manifest.graphs]
    half = [replace(each, precision="fp16", features=["shader-f16"]) for each in full]
    stages = [
        replace(each, graphs=[replace(graph, target="webgpu", all_on_gpu=True, cpu_nodes=[]) for graph in each.graphs])
        for each in manifest.stages or ()
    ]
    return replace(manifest, graphs=[*half, *full], stages=stages)


def asked(*costs: AskCost) -> PipelinePageRunner:
    runner = object.__new__(PipelinePageRunner)
    first = AskCost(earlier_runs=0, read_bytes=10 * ANSWER, on_gpu=True)
    runner.asked = [AnsweredPrompt(each, ANSWER, (1, 0)) for each in (first, *costs)]
    runner.looks = [40.0, 50.0]
    return runner


@pytest.mark.parametrize(
    ("cost", "codes"),
    [
        (AskCost(earlier_runs=0, read_bytes=ANSWER + 64, on_gpu=True), []),
        (AskCost(earlier_runs=1, read_bytes=ANSWER, on_gpu=True), ["stage-ran-again"]),
        (AskCost(earlier_runs=0, read_bytes=3 * ANSWER, on_gpu=True), ["reads-back"]),
        (AskCost(earlier_runs=0, read_bytes=3 * ANSWER, on_gpu=False), []),
        (AskCost(earlier_runs=0, read_bytes=None, on_gpu=True), []),
    ],
)
def test_a_prompt_costs_the_last_stage_alone(cost: AskCost, codes: list[str], tmp_path: Path) -> None:
    bundle = whole(on_webgpu(stages_manifest()), tmp_path)
    found = prompt_cost_problems(bundle, "webgpu whole", asked(cost))
    assert [each.code for each in found] == codes


def test_the_first_result_of_a_graph_is_not_judged_by_what_it_reads(tmp_path: Path) -> None:
    bundle = whole(on_webgpu(stages_manifest()), tmp_path)
    assert list(prompt_cost_problems(bundle, "webgpu whole", asked())) == []
    found = measure_prompt_cost(asked(AskCost(earlier_runs=0, read_bytes=5, on_gpu=True)))
    assert found == PromptCost(prompts=2, pictures=2, encoding=45, earlier_runs=0, read_bytes=5, result_bytes=ANSWER)
    assert prompt_cost_text(found) == "2 prompts on 2 pictures, each encoded in 45.0 ms, at most 5 B read back"


def test_all_stages_run_in_their_best_precision_and_as_exported(tmp_path: Path) -> None:
    bundle = whole(on_webgpu(stages_manifest()), tmp_path)
    assert pipeline_names(bundle, ["webgpu", "wasm"]) == ["webgpu fp16 whole", "webgpu whole", "wasm whole"]
    assert pipeline_names(bundle, ["webgpu"], "fp32") == ["webgpu whole"]
    half = LoadedGraphs.of(bundle, "webgpu fp16 whole")
    assert half.precision == {"encoder": "fp16", "middle": "fp32", "decoder": "fp32"}
    assert (half.on_webgpu, half.reduced_features) == (True, ["shader-f16"])
    assert LoadedGraphs.of(bundle, "webgpu whole").reduced_features == []
