"""The job of `webbuild pack`: the loaded models in order, to compile with a form of NMS and to write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.bundle.report import PackReport
from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_bundle import emit_bundle
from webbuild.commands.pack_compile import StageCompiler
from webbuild.commands.pack_plan import PackOptions, RequestedModels, plan_models
from webbuild.commands.pack_prove_pipeline import prove_pipeline
from webbuild.commands.pack_stages import prove_stage, with_samples
from webbuild.commands.pack_text_encoder import check_embedding_sizes, compile_text
from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.cache_folder import cache_folder
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.base import NmsPlacement
from webbuild.reporting.progress import ProgressReporter
from webbuild.runners.content_cache import NO_CACHE, ContentCache
from webbuild.targets.target import Target
from webbuild.tasks.registry import kind_of


class PackJob(Struct, frozen=True):
    """The loaded models with the command's options. `text` is the text encoder, if it ships; `cache` may be off."""

    name: str
    arguments: PackArguments
    options: PackOptions
    target: Target
    cache: ContentCache | None
    planned: Sequence[PlannedStage]
    text: ModelStage | None

    @classmethod
    def plan(
        cls, models: RequestedModels, arguments: PackArguments, options: PackOptions, progress: ProgressReporter
    ) -> PackJob:
        """Load the models, and compile the text encoder.

        Raises:
            WebbuildError: what `plan_models` and `compile_text` raise.
        """
        target = Target(engine_version(), "webgpu")
        cache = None if arguments.no_cache or os.environ.get(NO_CACHE) else ContentCache(cache_folder() / "answers")
        planned = plan_models(models, arguments, options, progress)
        text = compile_text(planned, arguments, options, target, progress, cache)
        return cls(models.name, arguments, options, target, cache, planned, text)

    def compile_stages(self, nms: NmsPlacement, progress: ProgressReporter) -> list[ModelStage]:
        """Compile the stages with a form of NMS.

        Raises:
            WebbuildError: what `StageCompiler.compile_all` and `check_embedding_sizes` raise; `conflicting-options`.
        """
        compiler = StageCompiler(
            planned=self.planned,
            arguments=self.arguments,
            options=self.options,
            target=self.target,
            progress=progress,
            cache=self.cache,
            nms=nms,
        )
        stages = compiler.compile_all()
        check_embedding_sizes(stages, self.text)
        if self.arguments.prompts and self.arguments.text is None and not any(map(_takes_text, stages)):
            raise WebbuildError(
                "conflicting-options",
                f"--prompt {self.arguments.prompts[0]!r}: {self.name} takes no text prompt",
                "leave --prompt out; a text encoder for the model is given with --text FILE",
                exit_code=USAGE,
            )
        return stages

    def write(
        self,
        stages: Sequence[ModelStage],
        nms: NmsPlacement,
        folder: Path,
        progress: ProgressReporter,
        measured: str = "",
    ) -> PackReport:
        """Prove the stages, and write the bundle to an empty folder. `measured` is why NMS has this form.

        Raises:
            WebbuildError: what `with_samples`, `prove_stage` and `prove_pipeline` raise.
        """
        stages = with_samples(stages, self.arguments, progress)
        proven = [self._prove(stage, folder, progress) for stage in stages]
        pipeline = prove_pipeline(stages, proven, folder, self.arguments, progress)
        text = None if self.text is None else (self.text, self._prove(self.text, folder, progress))
        with progress.step("write the bundle"):
            return emit_bundle(self.name, stages, proven, pipeline, folder, nms, measured, text)

    def write_trial(self, nms: NmsPlacement, folder: Path) -> PackReport:
        """Compile and write the bundle in float32 to an empty folder, without output, to measure a form of NMS."""
        quiet = ProgressReporter(quiet=True)
        trial = msgspec.structs.replace(self, arguments=replace(self.arguments, precision="fp32"))
        return trial.write(trial.compile_stages(nms, quiet), nms, folder, quiet)

    def _prove(self, stage: ModelStage, folder: Path, progress: ProgressReporter) -> list[ProvenGraphs]:
        return prove_stage(stage, folder, self.arguments, self.options, self.target, progress)


def _takes_text(stage: ModelStage) -> bool:
    task = stage.compiled.match.task
    return bool(kind_of(task).prompt_files(task))
