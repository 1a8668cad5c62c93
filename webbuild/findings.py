"""What will happen to a part of a model, why, and the mend."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.targets.table import Outcome

Severity = Literal["error", "warning", "note"]
"""error: no session, a throw or a wrong answer. warning: slow. note: good to know."""


class Finding(Struct, frozen=True, kw_only=True):
    """One finding.

    Attributes:
        code: its name, which `webbuild explain` knows.
        severity: see `Severity`.
        outcome: how the node ends; None for what is about no node.
        where: the node, input or output, as people find it: `Conv '/model.0/conv/Conv'`.
        what: what will happen, in a few words: "throws", "CPU island, 3 copies, 1.2 MB a run".
        why: the reason, in a sentence.
        fix: a pass that will mend it, or what to change at export.
        mended_by: the code of that pass; empty if there is none.
        steps: whether the build that it is about leaves the model to WASM because of it, though it is no error.
    """

    code: str
    severity: Severity
    outcome: Outcome | None
    where: str
    what: str
    why: str
    fix: str
    mended_by: str = ""
    steps: bool = False
