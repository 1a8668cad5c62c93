"""A bundle in a browser page, as a `Runner`: its own runtime, loaded with one backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.browser.server import Server
from webbuild.browser.tensors import fetched
from webbuild.tasks.depth_map import DepthMap
from webbuild.tasks.detection import Segment
from webbuild.tasks.regions import Regions
from webbuild.verify.page_calls import Page, PageCalls, PageError
from webbuild.verify.runners import Tensors
from webbuild.verify.wire import Answer, Failure, Held, Loaded, Ran

_TYPES = {"float32": "<f4", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "bool": "|b1"}


class PageRunner:
    """Drives one page. Loading comes first; `run` is raw tensors, `picture` what a visitor gets.

    Args:
        page: an empty page.
        server: serves the bundle at its root; the runner page and the tensors are added to its virtual files.
        seconds: how long any one step may take.
    """

    def __init__(self, page: Page, server: Server, name: str, *, seconds: float = 300) -> None:
        self.name = name
        self._entry = server.url
        self._calls = PageCalls(page, server, seconds, "webbuild.verify", ["runner.js"])

    def adapter(self) -> tuple[str, ...] | None:
        """Return the features of the page's WebGPU adapter, None if there is none."""
        return self._calls.call("adapter", tuple[str, ...] | None)

    def load(self, entry: str, backend: str, precision: str = "auto") -> Loaded:
        """Import the bundle's loader, a path inside it, and load. `backend` and `precision` as the runtime has them."""
        return self._calls.call("load", Loaded, entry=f"{self._entry}{entry}", backend=backend, precision=precision)

    def timed(self, feeds: Tensors) -> tuple[dict[str, NDArray[Any]], float]:
        """Run raw tensors; return every output, and the milliseconds it took."""
        ran: Ran = self._calls.call("tensors", Ran, feeds=self._calls.put(feeds))
        return {held.name: self._take(held) for held in ran.outputs}, ran.ms

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name. Raises PageError."""
        return self.timed(feeds)[0]

    def preprocess(self, pictures: Sequence[Path]) -> NDArray[Any]:
        """Return the tensor the runtime makes of a picture's file, or of those of a stack."""
        return self._take(self._calls.call("preprocess", Held, urls=self._calls.show(pictures)))

    def picture(self, pictures: Sequence[Path], options: Mapping[str, float | str | list[float]]) -> Answer:
        """Run the whole way: decode the file, or those of a stack, preprocess, infer with `options`, decode."""
        answer: Answer = self._calls.call("picture", Answer, urls=self._calls.show(pictures), options=dict(options))
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
        self._calls.call("dispose", None)

    def _take(self, held: Held) -> NDArray[Any]:
        def piece(start: int, most: int) -> str:
            return self._calls.call("take", str, handle=held.handle, offset=start, length=most)

        data = fetched(held.bytes, piece)
        self._calls.call("release", None, handle=held.handle)
        return np.frombuffer(data, _TYPES[held.type]).reshape(held.dims)


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
