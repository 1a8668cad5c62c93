"""A finding as a text to be pasted as an issue: versions, adapter, browser, operator, attributes, shapes, numbers."""

from __future__ import annotations

import json
import platform

from webbuild.bisect.report import Finding, Report
from webbuild.bisect.repro import Repro
from webbuild.errors import printable
from webbuild.templates import environment

TITLES = {
    "node-differs": "{ops} gives another answer than native ONNX Runtime",
    "node-throws": "{ops} throws",
    "node-unloadable": "no session with {ops}",
    "node-hangs": "{ops} does not end",
    "node-crashes": "{ops} crashes the page",
    "fused-nodes-differ": "{ops} give another answer when fused",
    "neighbour-differs": "{ops} gives another answer beside a second one with other attributes",
    "error-accumulates": "errors add up",
}
"""Code -> what is wrong, with the operators."""


def issue(report: Report, finding: Finding, made: Repro) -> str:
    """Return the text, in Markdown. Names of the model stand in code only, where they mean nothing."""
    templates = environment("webbuild.bisect", html=False)  # Markdown: what comes from the model goes through `code`
    templates.filters["code"] = code
    operators = ", ".join(dict.fromkeys(node.operator for node in finding.nodes))
    tensors = [(name, made.values[name], array) for name, array in (*made.feeds.items(), *made.wanted.items())]
    plain = {value: name for name, value in made.values.items()}
    return templates.get_template("issue.md.j2").render(
        report=report,
        finding=finding,
        title=TITLES[finding.code].format(ops=code(operators)),
        tensors=tensors,
        plain=plain,
        system=platform.platform(),
        options=json.dumps(report.options),
    )


def code(text: object) -> str:
    """Return a text as code in one line, whatever is in it."""
    clean = printable(str(text).replace("\n", " "), 300).replace("`", "'")
    return f"`{clean}`" if clean.strip() else "` `"
