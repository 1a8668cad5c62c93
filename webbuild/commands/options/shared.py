"""Options of several commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from webbuild.browser.driven_browser import BrowserName
from webbuild.commands.dataclass_command import argument, option


def dims_option() -> Any:
    """Return `--dim`."""
    return option(
        "--dim", metavar="NAME=N", default=(), help="Size of a free dimension; INPUT:AXIS=N for one without a name."
    )


def size_option() -> Any:
    """Return `--size`."""
    return option(
        metavar="SIZE", help="Picture size for a model with free height and width: 640, or 640x480 (width x height)."
    )


def export_option() -> Any:
    """Return `--export`."""
    return option(
        "--export",
        metavar="KEY=VALUE",
        default=(),
        help="Argument of the Ultralytics export, if MODEL is a .pt file: imgsz=320; nms=True exports with its NMS, "
        "nms=False without.",
    )


def set_option() -> Any:
    """Return `--set`."""
    return option(
        "--set",
        metavar="NAME=VALUE",
        default=(),
        help="Replace an input by a constant, such as sr=16000; repeatable. VALUE may be a list with commas.",
    )


def state_option() -> Any:
    """Return `--state`."""
    return option(
        "--state",
        metavar="IN=OUT",
        default=(),
        help="State of a recurrent model, such as h0=hn: input h0 takes output hn of the previous run; repeatable. "
        "It overrides the states that the names suggest; none = the model has no states.",
    )


def json_option() -> Any:
    """Return `--json`."""
    return option("--json", default=False, help="Print the report as JSON on stdout.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LimitArguments:
    """Options of the commands that read a model, which may come from anyone."""

    limit_memory: float | None = option(
        type=click.FloatRange(min=0, min_open=True),
        metavar="GIB",
        help="End the command and its child processes if they take more memory than this. Linux only.",
    )
    limit_time: float | None = option(
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="End the command and its child processes after this many seconds.",
    )

    @property
    def is_limited(self) -> bool:
        """Whether any limit was given."""
        return self.limit_memory is not None or self.limit_time is not None

    @property
    def limit_bytes(self) -> int:
        """The limit of memory in bytes, 0 for none."""
        return int((self.limit_memory or 0) * 2**30)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BrowserArguments:
    """Arguments and options that `verify` and `bench` share."""

    directory: Path = argument()
    backends: tuple[Literal["webgpu", "wasm"], ...] = option(
        "--backend", default=(), help="Backend to run on; repeatable. [default: both]"
    )
    precision: Literal["auto", "fp32", "fp16", "mixed"] = option(
        default="auto",
        help="Graph to run, if there are several. auto: verify runs all that the adapter supports, bench the best.",
    )
    inputs: tuple[Path, ...] = option(
        "--sample",
        default=(),
        metavar="FILE...",
        help="Images, folders of images, .npz, or folders of stacks to run in addition to the bundle's samples.",
    )
    browsers: tuple[BrowserName, ...] = option(
        "--browser",
        default=(),
        help="Browser to start; repeatable, to compare several. webkit has WASM alone. [default: chromium]",
    )
    endpoints: tuple[str, ...] = option(
        "--connect",
        default=(),
        metavar="URL",
        help="Remote browser; repeatable. ws:// for a Playwright server, http:// for DevTools.",
    )
    public: str = option(
        "--public-url", default="", metavar="URL", help="Address at which remote browsers reach this server."
    )
    port: int = option(default=0, type=click.IntRange(0, 65535), help="Port to serve on. [default: a free one]")
    as_json: bool = json_option()
    html: Path | None = option(help="Write the report as HTML to this file.")
