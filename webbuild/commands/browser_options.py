"""The options that `webbuild verify` and `webbuild bench` have in common."""

from __future__ import annotations

from pathlib import Path

import click

from webbuild.commands.option_group import option_group

_PATH = click.Path(path_type=Path)

browser_options = option_group(
    click.option(
        "--backend",
        "backends",
        multiple=True,
        type=click.Choice(["webgpu", "wasm"]),
        help="Backend to run on; may be given twice. [default: both]",
    ),
    click.option(
        "--precision",
        type=click.Choice(["auto", "fp32", "fp16", "mixed"]),
        default="auto",
        show_default=True,
        help="Graph to run where there are several: auto verifies all that the adapter can run, and benches the best.",
    ),
    click.option(
        "--input", "inputs", multiple=True, type=_PATH, metavar="FILE...", help="Pictures besides the samples."
    ),
    click.option(
        "--connect",
        "endpoints",
        multiple=True,
        metavar="URL",
        help="A browser elsewhere; may be given several times: ws:// of a Playwright server, http:// of DevTools.",
    ),
    click.option("--public-url", "public", default="", metavar="URL", help="Where those find what is served here."),
    click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to serve on. [default: a free one]"),
    click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout."),
    click.option("--html", type=_PATH, help="Write the report with its pictures to this file."),
)
