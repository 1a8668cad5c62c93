"""A finding as the text of a bug report: versions, adapter, browser, operator, attributes, shapes, numbers."""

from __future__ import annotations

import json
import platform
import re

from webbuild.bisect.report import BisectFinding, BisectReport
from webbuild.bisect.repro import Repro
from webbuild.errors import printable
from webbuild.reporting.jinja import template_environment

TITLES = {
    "node-mismatch": "{ops} gives a different result than native ONNX Runtime",
    "node-throws": "{ops} throws",
    "node-session-failure": "no session can be created with {ops}",
    "node-hangs": "{ops} never finishes",
    "node-crashes": "{ops} crashes the page",
    "fusion-mismatch": "{ops} give a different result when fused",
    "shader-cache-interaction": "{ops} gives a different result next to a second one with other attributes",
    "error-accumulation": "rounding errors add up",
    "joint-mismatch": "several nodes differ together",
}
"""Code -> title of the issue, with the operators."""


def issue_text(report: BisectReport, finding: BisectFinding, repro: Repro) -> str:
    """Return the Markdown text. Names of the model only appear as code, so that they are not interpreted."""
    templates = template_environment(
        "webbuild.bisect", html=False
    )  # Markdown: all strings of the model go through `code`
    templates.filters |= {"code": inline_code, "code_block": code_block}
    operators = ", ".join(dict.fromkeys(node.operator for node in finding.nodes))
    tensors = [(name, repro.values[name], array) for name, array in (*repro.feeds.items(), *repro.expected.items())]
    plain = {value: name for name, value in repro.values.items()}
    return templates.get_template("issue.md.j2").render(
        report=report,
        finding=finding,
        title=TITLES[finding.code].format(ops=inline_code(operators)),
        tensors=tensors,
        plain=plain,
        system=platform.platform(),
        options=json.dumps(report.options),
    )


def code_block(text: str, language: str = "") -> str:
    """Return any text as a code block."""
    lines = [printable(line, 2000) for line in text.splitlines()]
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", "".join(lines))), default=0))
    return "\n".join([f"{fence}{language}", *lines, fence])


def inline_code(text: object) -> str:
    """Return any text as inline code."""
    clean = printable(str(text).replace("\n", " "), 300).replace("`", "'")
    return f"`{clean}`" if clean.strip() else "` `"
