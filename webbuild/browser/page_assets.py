"""The pages that are driven from Python: their own scripts, and those that all of them have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files

from webbuild.browser.media_types import media_type

SHARED_SCRIPTS = ("arrays.js", "base64.js", "worker-rpc.js")


def load_page_assets(package: str, names: Sequence[str], url_prefix: str) -> dict[str, tuple[str, bytes]]:
    """Return media types and contents of the files in a package's folder `page`, and of the shared ones.

    Args:
        package: whose page it is.
        names: of its files.
        url_prefix: the path on a server under which all of them lie.
    """
    return dict(_iter_assets(package, names, url_prefix)) | dict(
        _iter_assets("webbuild.browser", SHARED_SCRIPTS, url_prefix)
    )


def _iter_assets(package: str, names: Sequence[str], url_prefix: str) -> Iterator[tuple[str, tuple[str, bytes]]]:
    folder = files(package).joinpath("page")
    for name in names:
        yield url_prefix + name, (media_type(name), folder.joinpath(name).read_bytes())
