"""A finding as an HTML page: it runs the smallest model in the reader's browser, and compares the outputs."""

from __future__ import annotations

import base64
from typing import Any

from numpy.typing import NDArray

from webbuild.bisect.issue_text import TITLES
from webbuild.bisect.model_under_test import ModelUnderTest
from webbuild.bisect.report import BisectFinding, BisectReport
from webbuild.bisect.repro import Repro
from webbuild.browser.tensor_transfer import to_little_endian_bytes
from webbuild.reporting.jinja import template_environment

_CDN = "https://cdn.jsdelivr.net/npm/onnxruntime-web@{version}/dist/"
"""The engine's address if the page is opened as a file: file pages cannot import local modules."""


def render_repro_page(
    report: BisectReport, finding: BisectFinding, repro: Repro, subject: ModelUnderTest, engine: str
) -> str:
    """Render the page. It contains the model, its inputs and expected outputs; the engine's files are in `engine`."""
    operators = ", ".join(dict.fromkeys(node.operator for node in finding.nodes))
    build = subject.build
    data = {
        "model": _text(repro.model.SerializeToString()),
        "feeds": [_tensor(name, array) for name, array in repro.feeds.items()],
        "wanted": [_tensor(name, array) for name, array in repro.expected.items()],
        "tolerance": report.tolerance,
        "options": report.options,
        "engine": {
            "local": engine,
            "entry": build.entry.name,
            "glue": build.glue.name,
            "wasm": build.wasm.name.removesuffix(".zst"),
            "cdn": _CDN.format(version=build.target.version),
            "cdnEntry": f"ort.{build.target.build}.min.mjs",
        },
    }
    return (
        template_environment("webbuild.bisect")
        .get_template("repro.html.j2")
        .render(report=report, finding=finding, title=TITLES[finding.code].format(ops=operators), data=data, made=repro)
    )


def _tensor(name: str, array: NDArray[Any]) -> dict[str, Any]:
    return {
        "name": name,
        "type": array.dtype.name,
        "dims": list(array.shape),
        "data": _text(to_little_endian_bytes(array)),
    }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
