"""The options of `webbuild patch`."""

from __future__ import annotations

from pathlib import Path

import click

from webbuild.commands.option_group import option_group

_PATH = click.Path(path_type=Path)

patch_options = option_group(
    click.option("-o", "--out", type=_PATH, default="patched", show_default=True, help="Folder to write to."),
    click.option(
        "--target",
        "targets",
        multiple=True,
        metavar="VERSION-BUILD",
        help="Build of onnxruntime-web to patch for, such as 1.30.0-webgpu; may be given several times. "
        "[default: the webgpu build that webbuild ships]",
    ),
    click.option("--dim", "dims", multiple=True, metavar="NAME=N", help="Size of a free dimension, or INPUT:AXIS=N."),
    click.option(
        "--sample", "samples", multiple=True, type=_PATH, metavar="FILE...", help="Pictures or .npz to prove with."
    ),
    click.option(
        "--nms",
        type=click.Choice(["keep", "cpu", "gpu"]),
        default="keep",
        show_default=True,
        help="Leave suppression as exported; or rewrite or append it as pack does, which changes inputs and outputs.",
    ),
    click.option("--dry-run", is_flag=True, help="Say what would be done, and what not; write nothing."),
    click.option("--force", is_flag=True, help="Replace files that are there."),
    click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout."),
)
