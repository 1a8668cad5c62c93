"""Arguments and options of `webbuild embed`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EmbedArguments:
    """Write the vectors of all pictures in FOLDER as an index that a page searches.

    OUT.bin holds a unit vector for each picture, OUT.json their names, which are paths inside of FOLDER. Native ONNX
    Runtime computes them with the graph and the preprocessing of the bundle, so that they are those of the browser.

    Example: webbuild embed photos --model dist/clip -o site/photos
    """

    folder: Path = argument()
    model: Path = option(metavar="BUNDLE", required=True, help="Bundle of task embed, which `webbuild pack` wrote.")
    out: Path = option("-o", "--out", metavar="OUT", required=True, help="Files to write, without .bin and .json.")
    force: bool = option(default=False, help="Replace existing files.")
