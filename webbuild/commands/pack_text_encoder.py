"""The text encoder of `webbuild pack --text`, if the bundle ships it. See `pack_labels` for labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_messages import compiled_lines, findings_before_after
from webbuild.commands.pack_plan import PackOptions, RequestedModels
from webbuild.compile.compile_model import compile_model
from webbuild.compile.load_model import load_model, with_memoized_original
from webbuild.compile.model_variant import ModelVariant
from webbuild.compile.shipped_text_encoder import open_text_encoder
from webbuild.compile.split_encoders import may_hold_both_encoders, split_encoders
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.choose_files import is_encoder_pair
from webbuild.model.tokenizer_file import read_tokenizer
from webbuild.reporting.progress import ProgressReporter
from webbuild.runners.content_cache import ContentCache
from webbuild.samples.texts import text_samples
from webbuild.targets.target import Target
from webbuild.tasks.options.zero_shot import LogitScale
from webbuild.tasks.registry import kind_of

_NAME = "text"
"""Name of its graphs in reports."""
_WITH_WORDS = (None, "classify", "embed")
"""Values of --task for an image encoder with a text encoder."""


def _ships_text_encoder(arguments: PackArguments) -> bool:
    """Whether the text encoder ships: without --labels, words are embedded in the browser."""
    return arguments.text is not None and arguments.labels is None


def with_split_encoders(
    arguments: PackArguments, models: RequestedModels, folder: Path, progress: ProgressReporter
) -> tuple[PackArguments, RequestedModels]:
    """Return the arguments with the image encoder as MODEL and the text encoder as --text, if MODEL has both.

    Args:
        arguments: the arguments of the command.
        models: the models of MODEL.
        folder: the folder for the encoders of one file, which is split.
        progress: prints a note about the split.

    Raises:
        WebbuildError: what `split_encoders` and `read_tokenizer` raise.
    """
    if models.pair_of and is_encoder_pair([each.file for each in models.located]):
        image, text = models.located
        alone = msgspec.structs.replace(models, names=[""], located=[image], pair_of="")
        return replace(arguments, text=arguments.text or text.path), alone
    model, *others = models.located
    if others or models.pipeline is not None or arguments.text is not None or arguments.task not in _WITH_WORDS:
        return arguments, models
    encoders = split_encoders(model.path, folder) if may_hold_both_encoders(model.path) else None
    if encoders is None:
        return arguments, models
    read_tokenizer(model.path, arguments.tokenizer)  # its errors name the user's file
    progress.print(f"note: {model.path.name} has an image encoder and a text encoder in one graph; split")
    alone = msgspec.structs.replace(models, located=[msgspec.structs.replace(model, path=encoders[0])])
    return replace(arguments, text=encoders[1]), alone


def with_embed_task(arguments: PackArguments) -> PackArguments:
    """Return the arguments with task `embed` if the text encoder ships."""
    return replace(arguments, task="embed") if _ships_text_encoder(arguments) else arguments


def compile_text(
    planned: Sequence[PlannedStage],
    arguments: PackArguments,
    options: PackOptions,
    target: Target,
    progress: ProgressReporter,
    cache: ContentCache | None,
) -> ModelStage | None:
    """Compile the text encoder, with the texts of its comparison; None if none ships.

    Raises:
        WebbuildError: what `open_text_encoder`, `load_model` and `compile_model` raise.
    """
    path: Path | None = arguments.text
    if path is None or not _ships_text_encoder(arguments):
        return None
    logit_scale = LogitScale("as the options say", arguments.logit_scale, arguments.logit_bias)
    with progress.step(f"read {path.name} and its tokenizer"):
        encoder = open_text_encoder(path, arguments.tokenizer, arguments.prompts, logit_scale, planned[0].source)
    loaded = load_model(path, encoder.dims, progress, source=encoder.source, cache=cache)
    overrides = msgspec.structs.replace(
        options.overrides, image={}, letterbox={}, note="", guess_pictures=False, known=encoder.match
    )
    compiled = compile_model(loaded, target, task=None, nms="shader", overrides=overrides, progress=progress)
    findings = findings_before_after(loaded, compiled, target)
    progress.print(f"text encoder: {path.name}")
    progress.print_lines(compiled_lines(compiled, findings, "shader", every=arguments.dry_run))
    samples = text_samples(compiled.match)
    variant = ModelVariant(with_memoized_original(loaded), compiled, samples, _NAME)
    return ModelStage(_NAME, path, [variant], findings)


def check_embedding_sizes(stages: Sequence[ModelStage], text: ModelStage | None) -> None:
    """Raise unless embeddings of pictures and texts have the same length.

    Raises:
        WebbuildError: `text-mismatch`.
    """
    if text is None:
        return
    tasks = [each.compiled.match.task for each in (stages[0], text)]
    pictures, texts = (kind_of(each).vector_size(each) for each in tasks)
    if pictures != texts:
        raise WebbuildError(
            "text-mismatch",
            f"{stages[0].given.name} has embeddings of size {pictures}, {text.given.name} of size {texts}",
            "export both with their projections: image_embeds and text_embeds",
            exit_code=USAGE,
        )
