"""The TOML file of `--pipeline`: the stages of a model, their files and tasks, and the tensors that join them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from webbuild.compile.stages.crop_settings import CropSettings
from webbuild.compile.stages.glue_file import glue_problem
from webbuild.compile.stages.pipeline_mistakes import explain_mistake, stage_slug, unknown_name
from webbuild.errors import USAGE, WebbuildError
from webbuild.tasks.registry import task_kinds

_Kind = TypeVar("_Kind")
StageName = Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9-]{0,59}$", description="Lower case letters, digits, dashes.")]
TensorOfStage = Annotated[str, Meta(pattern="^[a-z0-9-]+\\..+$", description="STAGE.OUTPUT")]
_EXAMPLE = (
    'write for example [stages.encoder] with model = "encoder.onnx"; `webbuild explain invalid-pipeline` has more'
)

_SOURCE = 'a stage and its output, such as "encoder.image_embed"'


class PipelineStage(Struct, frozen=True, forbid_unknown_fields=True):
    """A stage: its file, relative to the pipeline file, and its task, if the inferred task is wrong.

    `glue` is a JavaScript module that computes inputs of the stage in the browser from the outputs that it `reads`.
    Without `reads`, they are the outputs named in the module.
    `crop` sets how the stage crops the boxes of an earlier stage.
    """

    model: str
    task: str | None = None
    glue: str | None = None
    reads: list[TensorOfStage] = []
    crop: CropSettings | None = None


class Pipeline(Struct, frozen=True, forbid_unknown_fields=True):
    """Stages by name, in the order in which they run, and the outputs that the inputs of a stage take.

    A stage named in `joins` takes only these outputs. Other stages are joined by names and types.
    """

    stages: Annotated[dict[StageName, PipelineStage], Meta(min_length=2)]
    joins: dict[StageName, dict[str, TensorOfStage]] = {}


def pipeline_schema() -> dict[str, Any]:
    """Return the JSON schema (2020-12) of a pipeline file, for editors."""
    schema = msgspec.json.schema(Pipeline)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "webbuild pipeline", **schema}


def read_pipeline(path: Path) -> Pipeline:
    """Read a pipeline file.

    Raises:
        WebbuildError: `invalid-pipeline`, with the field of the mistake.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise invalid_pipeline(path, error.strerror or str(error), "check the path of --pipeline") from error
    except UnicodeDecodeError as error:
        raise invalid_pipeline(path, "is not text in UTF-8", "save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise invalid_pipeline(path, f"is not TOML: {error}", _EXAMPLE) from error
    for name in data:
        _require_known(path, "", name, Pipeline.__struct_fields__, "table")
    stages = _table(path, data, "stages")
    if not stages:
        raise invalid_pipeline(path, "it has no table [stages.NAME]", _EXAMPLE)
    for name, stage in stages.items():
        _convert(path, name, StageName, f"stages.{name}", f"[stages.{stage_slug(name)}]")
        _convert(path, stage, PipelineStage, f"stages.{name}")
    if len(stages) == 1:
        raise invalid_pipeline(
            path, "it has one stage, and a pipeline has at least two", "pack a single model without --pipeline"
        )
    for name, taken in _table(path, data, "joins").items():
        _require_known(path, f"joins.{name}", name, stages, "stage")
        for tensor, source in _convert(path, taken, dict[str, Any], f"joins.{name}").items():
            _convert(path, source, TensorOfStage, f'joins.{name}."{tensor}"')
            _require_known(path, f'joins.{name}."{tensor}"', source.partition(".")[0], stages, "stage")
    pipeline = _convert(path, data, Pipeline, "")
    _check_glue(path, pipeline)
    for name, each in pipeline.stages.items():
        if each.task is not None:
            _require_known(path, f"stages.{name}.task", each.task, task_kinds(), "task")
    return pipeline


def _check_glue(path: Path, pipeline: Pipeline) -> None:
    """Raise for a module that cannot be packed, and for `reads` without a module."""
    for name, stage in pipeline.stages.items():
        field = f"stages.{name}"
        if stage.glue is None and stage.reads:
            raise invalid_pipeline(
                path, f"{field}.reads: there is no glue", 'write glue = "FILE.js", or leave reads out'
            )
        problem = None if stage.glue is None else glue_problem(path.parent / stage.glue, path.parent)
        if problem is not None:
            raise invalid_pipeline(path, f"{field}.glue: {problem.what}", problem.fix)
        for source in stage.reads:
            _require_known(path, f"{field}.reads", source.partition(".")[0], pipeline.stages, "stage")


def _table(path: Path, data: dict[str, Any], name: str) -> dict[str, Any]:
    return _convert(path, data.get(name, {}), dict[str, Any], name)


def _convert(path: Path, value: Any, kind: type[_Kind], field: str, form: str = _SOURCE) -> _Kind:
    """Convert a value to a type; the error names the path of the mistake, which starts with `field`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, inside = str(error).partition(" - at `$")
        where = f"{field}{inside.rstrip('`')}".lstrip(".")
        struct = CropSettings if inside.startswith(".crop") else kind
        what, fix = explain_mistake(message, value, getattr(struct, "__struct_encode_fields__", ()), form)
        raise invalid_pipeline(path, f"{f'{where}: ' if where else ''}{what}", fix or _EXAMPLE) from error


def _require_known(path: Path, field: str, name: str, known: Iterable[str], what: str) -> None:
    names = list(known)
    if name not in names:
        mistake = unknown_name(what, name, names)
        raise invalid_pipeline(path, f"{field and f'{field}: '}{mistake.what}", mistake.fix)


def invalid_pipeline(path: Path, what: str, fix: str) -> WebbuildError:
    """Return the error of a pipeline file."""
    return WebbuildError("invalid-pipeline", f"{path}: {what}", fix, exit_code=USAGE)
