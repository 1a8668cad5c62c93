"""A finding as a page: it runs the cut in the reader's own browser, and shows wanted and got."""

from __future__ import annotations

import base64
from typing import Any

from numpy.typing import NDArray

from webbuild.bisect.issue import TITLES
from webbuild.bisect.report import Finding, Report
from webbuild.bisect.repro import Repro
from webbuild.bisect.subject import Subject
from webbuild.browser.tensors import little_endian
from webbuild.templates import environment

CDN = "https://cdn.jsdelivr.net/npm/onnxruntime-web@{version}/dist/"
"""Where the page finds the engine when it is opened as a file, which no module can be imported beside."""


def page(report: Report, finding: Finding, made: Repro, subject: Subject, engine: str) -> str:
    """Return the page: the model, its inputs and what is wanted are inside; the engine's files lie in `engine`."""
    operators = ", ".join(dict.fromkeys(node.operator for node in finding.nodes))
    build = subject.engine
    data = {
        "model": _text(made.model.SerializeToString()),
        "feeds": [_tensor(name, array) for name, array in made.feeds.items()],
        "wanted": [_tensor(name, array) for name, array in made.wanted.items()],
        "tolerance": report.tolerance,
        "options": report.options,
        "engine": {
            "beside": engine,
            "entry": build.entry.name,
            "glue": build.glue.name,
            "wasm": build.wasm.name.removesuffix(".zst"),
            "cdn": CDN.format(version=build.target.version),
            "elsewhere": {"webgpu": "ort.webgpu.min.mjs", "jsep": "ort.min.mjs", "wasm": "ort.wasm.min.mjs"}[
                build.target.build
            ],
        },
    }
    return (
        environment("webbuild.bisect")
        .get_template("repro.html.j2")
        .render(report=report, finding=finding, title=TITLES[finding.code].format(ops=operators), data=data, made=made)
    )


def _tensor(name: str, array: NDArray[Any]) -> dict[str, Any]:
    return {"name": name, "type": array.dtype.name, "dims": list(array.shape), "data": _text(little_endian(array))}


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
