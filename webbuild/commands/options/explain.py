"""Arguments of `webbuild explain`."""

from __future__ import annotations

from dataclasses import dataclass

from webbuild.commands.dataclass_command import argument


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExplainArguments:
    """Explain a pass, a finding or an error by its CODE; without CODE, list all codes.

    Example: webbuild explain static-nms
    """

    code: str | None = argument(required=False)
