"""The options of `webbuild bisect`."""

from __future__ import annotations

from pathlib import Path

import click

from webbuild.commands.option_group import option_group

_FOLDER = click.Path(path_type=Path)
bisect_options = option_group(
    click.option(
        "--backend",
        type=click.Choice(["webgpu", "wasm"]),
        default="webgpu",
        show_default=True,
        help="Where it differs.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["fp32", "fp16", "mixed"]),
        default="fp32",
        show_default=True,
        help="Which of a bundle's graphs.",
    ),
    click.option(
        "--build",
        type=click.Choice(["jsep"]),
        help='Engine to search on: jsep is what `import "onnxruntime-web"` gives. [default: the bundle\'s own]',
    ),
    click.option(
        "--against",
        type=click.Choice(["native", "wasm"]),
        default="native",
        show_default=True,
        help="What is right: native ONNX Runtime, or WebAssembly in Chromium.",
    ),
    click.option(
        "--tolerance",
        type=click.FloatRange(min=0, min_open=True),
        help="How far floats may lie apart, as part of a value's largest. [default: 1e-4, half precision 0.01]",
    ),
    click.option("--output", "outputs", multiple=True, metavar="NAME", help="Look only at what this output needs."),
    click.option(
        "--input",
        "inputs",
        multiple=True,
        type=_FOLDER,
        metavar="FILE...",
        help="Pictures for a bundle, .npz for a model.",
    ),
    click.option("--dim", "dims", multiple=True, metavar="NAME=N", help="Size of a free dimension, or INPUT:AXIS=N."),
    click.option("-o", "--out", type=_FOLDER, help="Folder to write. [default: bisect-<name>]"),
    click.option("--seconds", type=click.FloatRange(min=1), default=300, show_default=True, help="For one session."),
    click.option("--resume", is_flag=True, help="Go on with a search that was interrupted."),
    click.option("--force", is_flag=True, help="Replace the folder of an earlier search."),
    click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout."),
)
