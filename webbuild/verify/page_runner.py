"""A bundle in a browser page, as a `Runner`: its own runtime, loaded with one backend."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.tasks.depth_map import DepthMap
from webbuild.tasks.detection import Segment
from webbuild.tasks.regions import Regions
from webbuild.verify.runners import Tensors
from webbuild.verify.wire import Answer, Failure, Held, Loaded, Ran

T = TypeVar("T")

_ROOM = "/__webbuild__/"
_PIECE = 8 << 20
"""Bytes of a tensor fetched by one call."""
_TYPES = {"float32": "<f4", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "bool": "|b1"}


class Page(Protocol):
    """What driving a page takes of it, in Playwright's words."""

    def goto(self, url: str, /) -> object:
        """Go to an address and wait until it has loaded."""

    def wait_for_function(self, function: str, /) -> object:
        """Wait until a function of the page returns something true."""

    def evaluate(self, function: str, argument: Any, /) -> Any:
        """Call a function in the page with a value, and return what its promise comes to."""


class PageError(Exception):
    """The runtime, or the page itself, failed. Not a `WebbuildError`: it is a finding about the bundle."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class PageRunner:
    """Drives one page. Loading comes first; `run` is raw tensors, `picture` what a visitor gets.

    Args:
        page: an empty page.
        server: serves the bundle at its root; the runner page and the tensors are added to its virtual files.
        seconds: how long any one step may take.
    """

    def __init__(self, page: Page, server: Server, name: str, *, seconds: float = 300) -> None:
        self._page, self._server, self._seconds = page, server, seconds
        self.name = name
        self._entry = server.url
        room = files("webbuild.verify").joinpath("page")
        for file in ("index.html", "runner.js"):
            server.virtual[_ROOM + file] = (media_type(file), room.joinpath(file).read_bytes())
        page.goto(f"{server.origin}{_ROOM}index.html")
        page.wait_for_function("() => globalThis.webbuild !== undefined")

    def adapter(self) -> str | None:
        """Return the vendor of the page's WebGPU adapter, None if there is none."""
        return self._call("adapter", str | None)

    def load(self, entry: str, backend: str) -> Loaded:
        """Import the bundle's loader, a path inside it, and load. `backend` as the runtime names it."""
        return self._call("load", Loaded, entry=f"{self._server.url}{entry}", backend=backend)

    def timed(self, feeds: Tensors) -> tuple[dict[str, NDArray[Any]], float]:
        """Run raw tensors; return every output, and the milliseconds it took."""
        described = [
            {"name": name, "type": value.dtype.name, "dims": list(value.shape), "url": self._put(i, value)}
            for i, (name, value) in enumerate(feeds.items())
        ]
        ran: Ran = self._call("tensors", Ran, feeds=described)
        return {held.name: self._take(held) for held in ran.outputs}, ran.ms

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name. Raises PageError."""
        return self.timed(feeds)[0]

    def preprocess(self, pictures: Sequence[Path]) -> NDArray[Any]:
        """Return the tensor the runtime makes of a picture's file, or of those of a stack."""
        return self._take(self._call("preprocess", Held, urls=self._show(pictures)))

    def picture(self, pictures: Sequence[Path], options: Mapping[str, float | str | list[float]]) -> Answer:
        """Run the whole way: decode the file, or those of a stack, preprocess, infer with `options`, decode."""
        answer: Answer = self._call("picture", Answer, urls=self._show(pictures), options=dict(options))
        if answer.cells is None:
            return answer
        return msgspec.structs.replace(answer, segments=with_cells(answer.segments, self._take(answer.cells)))

    def tensors(self, answer: Answer) -> dict[str, NDArray[Any]]:
        """Return the outputs that wait for a picture's answer; they do so once."""
        return {held.name: self._take(held) for held in answer.outputs}

    def depth(self, answer: Answer) -> DepthMap | None:
        """Return the maps that wait for a picture's answer, None where there are none; they do so once."""
        if answer.depth is None:
            return None
        confidence = None if answer.confidence is None else self._take(answer.confidence)
        return DepthMap(self._take(answer.depth), confidence, answer.min, answer.max)

    def regions(self, answer: Answer) -> Regions | None:
        """Return the map and the regions of a picture's answer, None where there are none; they are there once."""
        if answer.map is None:
            return None
        return Regions(self._take(answer.map).astype(np.uint16), answer.regions)

    def dispose(self) -> None:
        """Free what the model holds; the page stays."""
        self._call("dispose", None)

    def _put(self, index: int, value: NDArray[Any]) -> str:
        path = f"{_ROOM}feed-{index}.bin"
        little = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False)
        self._server.virtual[path] = ("application/octet-stream", little.tobytes())
        return path

    def _show(self, pictures: Sequence[Path]) -> list[str]:
        paths = [f"{_ROOM}picture-{index}{picture.suffix.lower()}" for index, picture in enumerate(pictures)]
        for path, picture in zip(paths, pictures, strict=True):
            self._server.virtual[path] = (media_type(picture.name), picture.read_bytes())
        return paths

    def _take(self, held: Held) -> NDArray[Any]:
        pieces = [
            base64.b64decode(self._call("take", str, handle=held.handle, offset=start, length=_PIECE))
            for start in range(0, held.bytes, _PIECE)
        ]
        self._call("release", None, handle=held.handle)
        return np.frombuffer(b"".join(pieces), _TYPES[held.type]).reshape(held.dims)

    def _call(self, command: str, kind: type[T] | Any, **arguments: Any) -> T:
        from playwright.sync_api import Error

        try:
            answer = self._page.evaluate(
                "request => globalThis.webbuild(request)",
                {"command": command, "seconds": self._seconds, **arguments},
            )
        except Error as error:
            raise PageError(Failure("page-failed", error.message.splitlines()[0], "")) from error
        if "error" in answer:
            raise PageError(msgspec.convert(answer["error"], Failure))
        return msgspec.convert(answer.get("value"), kind)


def with_cells(segments: Sequence[Segment], cells: NDArray[Any]) -> tuple[Segment, ...]:
    """Give each mask its part of the cells, which are 0 or 1."""
    ends = np.cumsum([segment.mask.columns * segment.mask.rows for segment in segments], dtype=np.int64)
    if cells.size != (ends[-1] if segments else 0) or (cells > 1).any():
        raise PageError(Failure("wrong-mask", f"the masks do not fit their {cells.size} cells of 0 or 1", ""))
    parts = [part.tobytes() for part in np.split(cells, ends[:-1])]
    return tuple(
        msgspec.structs.replace(segment, mask=msgspec.structs.replace(segment.mask, data=part))
        for segment, part in zip(segments, parts, strict=False)
    )
