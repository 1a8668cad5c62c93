"""Arguments and options of `webbuild embed`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EmbedArguments:
    """Write the embeddings of all pictures in FOLDER as an index for similarity search in a page.

    OUT.bin has a unit vector for each picture, OUT.json their names, which are paths in FOLDER. Native ONNX Runtime
    computes the vectors with the graph and the preprocessing of the bundle, so that they match those of the browser.

    Example: webbuild embed photos --model dist/clip -o site/photos
    """

    folder: Path = argument()
    model: Path = option(metavar="BUNDLE", required=True, help="Bundle of task embed that `webbuild pack` wrote.")
    out: Path = option("-o", "--out", metavar="OUT", required=True, help="Files to write, without .bin and .json.")
    force: bool = option(default=False, help="Replace existing files.")
