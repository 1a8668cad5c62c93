"""Arguments and options of `webbuild publish`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PublishArguments:
    """Write folders for the Hugging Face Hub: a model repository and a static Space, without uploading them.

    OUT/model has the patched MODEL in the layout that transformers.js loads, its configuration files, and a model
    card. OUT/space has the bundle as a static Space. publish prints the commands that upload both.

    MODEL is the export that the bundle was packed from: an .onnx file, a folder, or hf:owner/name, which the card then
    names as the base model. For a bundle of several stages give the export of each, or the folder with all of them.

    Example: webbuild publish exported/ dist/detr --hf out --repo me/detr-webgpu
    """

    models: tuple[Path, ...] = argument(metavar="MODEL...")
    bundle: Path = argument()
    hf: Path = option("--hf", metavar="OUT", required=True, help="Folder to write.")
    repo: str = option(
        default="", metavar="OWNER/NAME", help="Repository on the Hub. [default: your-name/NAME of the bundle]"
    )
    base_model: str = option(default="", metavar="OWNER/NAME", help="Model on the Hub that this one is derived from.")
    license: str = option(
        default="",
        metavar="ID",
        help="Licence of the model as the Hub names it, such as apache-2.0. [default: from its metadata]",
    )
    no_verify: bool = option(default=False, help="Do not compare the bundle in Chromium for the model card.")
    force: bool = option(default=False, help="Replace an existing folder.")
