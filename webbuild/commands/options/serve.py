"""Arguments and options of `webbuild serve`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ServeArguments:
    """Serve the page in DIRECTORY on localhost until Ctrl-C; to other machines with --host, --cert and --key.

    Example: webbuild serve dist/yolo-pose
    """

    directory: Path = argument()
    port: int = option(default=0, type=click.IntRange(0, 65535), help="Port. [default: a free one]")
    host: str = option(default="127.0.0.1", help="Address to listen on; any other than this needs TLS.")
    cert: Path | None = option(help="TLS certificate, PEM.")
    key: Path | None = option(help="Its private key, PEM, without a password.")
    allowed_hosts: tuple[str, ...] = option(
        "--allow-host",
        default=(),
        metavar="NAME",
        help="Also answer to this host name, such as a tunnel's or a proxy's; repeatable. Requests for other names "
        "than localhost are refused, so that pages of other sites cannot read the files (DNS rebinding).",
    )
    open_page: bool = option("--open", default=False, help="Open the page in the default browser.")
