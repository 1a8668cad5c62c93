"""Compiling the stages of `webbuild pack`: sizes, batches and options of each. A single model is one stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_messages import compiled_lines, findings_before_after
from webbuild.commands.pack_plan import PackOptions
from webbuild.commands.stage_options import free_dims, input_names, own_options
from webbuild.compile.compile_batch import compile_batch
from webbuild.compile.compile_model import CompiledModel, compile_model
from webbuild.compile.load_model import LoadedModel, load_model
from webbuild.compile.model_variant import ModelVariant, compile_variants
from webbuild.compile.object_variant import check_one_object, with_object_variant
from webbuild.compile.prompt_variants import with_prompt_variants
from webbuild.compile.stages.batches import compile_possible, stage_batches
from webbuild.compile.stages.line_widths import line_sizes
from webbuild.compile.stages.links import StageLinks
from webbuild.compile.stages.model_stage import ModelStage, compile_stages
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.model.signature import ModelSignature
from webbuild.passes.base import NmsPlacement
from webbuild.reporting.progress import ProgressReporter
from webbuild.runners.content_cache import ContentCache
from webbuild.targets.target import Target
from webbuild.tasks.options.picture_sizes import PictureSize
from webbuild.tasks.options.user_overrides import Overrides
from webbuild.tasks.task_match import TaskMatch


class StageCompiler(Struct, frozen=True, kw_only=True):
    """The planned stages, and everything that decides how they are compiled."""

    planned: Sequence[PlannedStage]
    arguments: PackArguments
    options: PackOptions
    target: Target
    progress: ProgressReporter
    cache: ContentCache | None
    nms: NmsPlacement

    def compile_all(self) -> list[ModelStage]:
        """Load and compile each stage, and print its assumptions and rewrites.

        Raises:
            WebbuildError: what `load_model`, `compile_variants` and `compile_stages` raise.
        """
        return compile_stages(self.planned, self._compile)

    def _compile(self, links: StageLinks, sizes: Mapping[str, int]) -> ModelStage:
        """Compile a stage, at the given sizes of its free dimensions."""
        stage, at = links.stage, self.planned.index(links.stage)
        own = own_options(self.options.dims, self._signatures, at, free_dims)
        picture_sizes = self.options.sizes if at == 0 else line_sizes(stage, self.options.widths, own)
        dims = {**({} if picture_sizes else links.picture_sizes(own)), **sizes, **own}
        if len(self.planned) > 1 and stage.task is None:
            check_one_object(stage.source.signature, dims)
        loaded = self._load(links, at, dims, next(iter(picture_sizes), None))
        variants = self._compile_variants(links, at, loaded, dims, picture_sizes)
        compiled, loaded = variants[0].compiled, variants[0].loaded
        findings = findings_before_after(loaded, compiled, self.target)
        if stage.name:
            self.progress.print(f"stage {stage.name}: {stage.source.path.name}")
        self.progress.print_lines(compiled_lines(compiled, findings, self.nms, every=self.arguments.dry_run))
        if stage.glue is not None:
            self.progress.print_lines(f"note: {each}" for each in stage.glue.assumptions)
        return ModelStage(stage.name, stage.given, variants, findings, stage.glue)

    @property
    def _signatures(self) -> list[ModelSignature]:
        return [each.source.signature for each in self.planned]

    def _samples(self, at: int) -> Sequence[Path]:
        """Return the user's samples, which are inputs of the first stage."""
        return self.arguments.samples if at == 0 else ()

    def _load(self, links: StageLinks, at: int, dims: Mapping[str, int], size: PictureSize | None) -> LoadedModel:
        states = self.options.states
        return load_model(
            links.stage.source.path,
            dims,
            self.progress,
            size=size,
            samples=self._samples(at),
            states=None if states is None else own_options(states, self._signatures, at, input_names),
            source=links.stage.source,
            used_outputs=links.used_outputs,
            cache=self.cache,
        )

    def _compile_variants(
        self,
        links: StageLinks,
        at: int,
        loaded: LoadedModel,
        dims: Mapping[str, int],
        picture_sizes: Sequence[PictureSize],
    ) -> list[ModelVariant]:
        """Compile a stage for each picture size and batch, number of points and number of objects."""
        requested = self.options.batches
        overrides = _overrides(self.options.overrides, links.stage, at, len(self.planned))
        compile_single = partial(self._compile_single, links, overrides)

        def compile_each(batches: Sequence[int]) -> list[ModelVariant]:
            return compile_variants(
                loaded, dims, picture_sizes, batches, compile_single, self._compile_batch, self._samples(at)
            )

        variants = compile_possible(compile_each, stage_batches(self.planned, at, requested), requested)
        variants = with_prompt_variants(variants, dims, compile_single)
        return with_object_variant(variants, dims, compile_single)

    def _compile_single(
        self, links: StageLinks, overrides: Overrides, resized: LoadedModel, base_match: TaskMatch | None
    ) -> CompiledModel:
        return compile_model(
            resized,
            self.target,
            task=links.stage.task,
            nms=self.nms,
            overrides=overrides,
            progress=self.progress,
            base_match=base_match,
            links=links if len(self.planned) > 1 else None,
        )

    def _compile_batch(self, resized: LoadedModel, single: CompiledModel, batch: int) -> CompiledModel:
        return compile_batch(resized, self.target, single, batch, nms=self.nms)


def _overrides(overrides: Overrides, stage: PlannedStage, at: int, count: int) -> Overrides:
    """Return the overrides of a stage: picture options apply to the first stage, labels to the last."""
    if count == 1:
        return overrides
    if stage.task is not None:
        overrides = msgspec.structs.replace(overrides, guess_pictures=False)
    if at > 0:
        overrides = msgspec.structs.replace(overrides, image={}, letterbox={}, note="", guess_pictures=False)
    return overrides if at == count - 1 else msgspec.structs.replace(overrides, labels=None)
