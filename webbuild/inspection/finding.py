"""A finding: the predicted outcome for a part of a model, the reason, and the fix."""

from __future__ import annotations

from msgspec import Struct

from webbuild.passes.workarounds.base import Severity
from webbuild.targets.table import Outcome


class Finding(Struct, frozen=True, kw_only=True, rename="camel"):
    """One finding.

    Attributes:
        code: the code, for `webbuild explain`.
        severity: see `Severity`.
        outcome: the outcome of the node; None for a finding that is not about a node.
        where: the node, input or output, by operator and name: `Conv '/model.0/conv/Conv'`.
        summary: the outcome in a few words: "throws", "3 nodes on the CPU, 3 copies, 1.2 MB a run".
        reason: the reason, in a sentence.
        fix: what to change at export if no pass fixes it.
        fixed_by: codes of the passes of `webbuild pack` that fix it; empty if there is none.
    """

    code: str
    severity: Severity
    outcome: Outcome | None
    where: str
    summary: str
    reason: str
    fix: str
    fixed_by: tuple[str, ...] = ()
