"""`webbuild embed`: embeddings of a folder's pictures, as an index for the runtime's `similar()`."""

from __future__ import annotations

from pathlib import Path

import click

from webbuild.bundle.picture_index import index_files, write_index
from webbuild.bundle.staging import check_writable
from webbuild.commands.options.embed import EmbedArguments
from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.reporting.progress import ProgressReporter
from webbuild.samples.sample_files import IMAGE_SUFFIXES
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.embed_pictures import embed_pictures


def run(arguments: EmbedArguments) -> int:
    """Embed each picture of a folder, sorted by path, and write the index. Prints both files on stdout.

    Raises:
        WebbuildError: `no-pictures`, `output-exists`, `cannot-write`; see `open_bundle` and `embed_pictures`.
    """
    if arguments.out.name in ("", ".."):
        raise WebbuildError(
            "cannot-write",
            f"{arguments.out}: is not a name for files",
            "give one with -o: site/photos",
            exit_code=USAGE,
        )
    check_writable(arguments.out)
    folder, files = arguments.folder, index_files(arguments.out)
    existing = [file for file in files if file.exists()]
    if existing and not arguments.force:
        raise WebbuildError(
            "output-exists",
            f"{existing[0]}: already exists",
            "give other files with -o, or --force to replace them",
            exit_code=USAGE,
        )
    bundle, pictures = open_bundle(arguments.model), _pictures(folder)
    progress = ProgressReporter()
    with progress.step(f"embed {len(pictures):,} pictures"):
        names, vectors = embed_pictures(bundle, folder, pictures, progress)
    write_index(arguments.out, bundle.manifest, names, vectors)
    for file in files:
        click.echo(file)
    return CLEAN


def _pictures(folder: Path) -> list[Path]:
    files = (path for path in folder.rglob("*") if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file())
    pictures = sorted(files, key=lambda path: path.relative_to(folder).as_posix())
    if not pictures:
        raise WebbuildError(
            "no-pictures",
            f"{folder}: {'no picture in this folder' if folder.is_dir() else 'this is not a folder'}",
            "give a folder with JPEG, PNG or WebP pictures, in subfolders too",
            exit_code=USAGE,
        )
    return pictures
