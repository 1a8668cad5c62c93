"""The options of `pack` that make a model smaller."""

from __future__ import annotations

import click

from webbuild.commands.option_group import option_group

smaller_options = option_group(
    click.option(
        "--weights",
        type=click.Choice(["fp32", "int8"]),
        default="fp32",
        show_default=True,
        help="How weights are stored: as floats, or as whole numbers that become floats where the model is loaded.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["fp32", "fp16", "mixed", "auto"]),
        default="fp32",
        show_default=True,
        help="One more graph for GPUs with float16: of all that can be, of what a search finds, or that if it pays.",
    ),
    click.option(
        "--budget",
        multiple=True,
        metavar="KEY=VALUE",
        help="Of that search: evaluations=20, seconds=60; saving=0.2, the part of the weights that auto has to save.",
    ),
)
