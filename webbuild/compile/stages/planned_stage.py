"""Planned stages: the models of a pipeline with their joins, before they are compiled."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from webbuild.bundle.stage_files import StageGlue
from webbuild.compile.stages.crop_settings import CropSettings
from webbuild.model.load import OnnxModel


class Join(Struct, frozen=True):
    """A join: an input of a stage, and the output of an earlier stage that it takes."""

    input: str
    stage: str
    output: str


class PlannedStage(Struct, frozen=True):
    """A model as a stage, with its joins to earlier stages. `task` and `crop` are the user's, None if not given.

    `given` is the user's file, next to `samples/`; `source` may be an export of it. `crop_field` is the path of `crop`
    in the pipeline file.
    """

    name: str
    given: Path
    source: OnnxModel
    joins: tuple[Join, ...] = ()
    task: str | None = None
    glue: StageGlue | None = None
    crop: CropSettings | None = None
    crop_field: str = ""

    def outputs_used_of(self, stage: str) -> set[str]:
        """Return the outputs of an earlier stage that this one takes, or that its glue reads."""
        joined = [(each.stage, each.output) for each in self.joins]
        read = () if self.glue is None else self.glue.reads
        return {output for of, output in (*joined, *read) if of == stage}
