"""The outputs that glue reads: their names occur in its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from webbuild.bundle.stage_files import StageGlue
from webbuild.compile.stages.javascript_text import JavaScriptText, scan_javascript
from webbuild.compile.stages.planned_stage import PlannedStage


def read_glue(file: Path, earlier: Sequence[PlannedStage]) -> StageGlue:
    """Return the glue of a file with the outputs of earlier stages that it reads.

    `encoder.heat`, `encoder["heat"]` and `{ encoder: { heat } }` all read the output heat. Glue that names no output
    reads all of them, unless it names `results`.
    """
    text = scan_javascript(file.read_text("utf-8"))
    outputs = [(stage.name, spec.name) for stage in earlier for spec in stage.source.signature.outputs]
    named = [(stage, output) for stage, output in outputs if _occurs_in(output, text)]
    none_needed = _occurs_in("results", text)
    return StageGlue(file, tuple(named or (() if none_needed else outputs)))


def _occurs_in(name: str, text: JavaScriptText) -> bool:
    return name in text.strings or re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text.code) is not None
