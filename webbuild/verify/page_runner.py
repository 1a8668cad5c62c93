"""A bundle in a browser page, as a `Runner`: its own runtime, loaded with one backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.browser.server import Server
from webbuild.browser.tensor_transfer import fetch_bytes
from webbuild.runners.runner import Tensors
from webbuild.tasks.depth_map import DepthMap
from webbuild.tasks.detection import Segment
from webbuild.tasks.regions import Segmentation
from webbuild.verify.page_messages import LoadResult, RunResult, RuntimeFailure, TensorHandle, TensorsResult
from webbuild.verify.page_rpc import Page, PageError, PageRpc

_LITTLE_ENDIAN_DTYPES = {"float32": "<f4", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "bool": "|b1"}


class PageRunner:
    """Drives one page. Loading comes first; `run` is raw tensors, `predict` what a visitor gets.

    Args:
        page: an empty page.
        server: serves the bundle at its root; the runner page and the tensors are added to its virtual files.
        seconds: how long any one step may take.
    """

    def __init__(self, page: Page, server: Server, name: str, *, seconds: float = 300) -> None:
        self.name = name
        self._entry = server.url
        self._calls = PageRpc(page, server, seconds, "webbuild.verify", ["runner.js"])

    def adapter(self) -> tuple[str, ...] | None:
        """Return the features of the page's WebGPU adapter, None if there is none."""
        return self._calls.call("adapter", tuple[str, ...] | None)

    def load(self, entry: str, backend: str, precision: str = "auto") -> LoadResult:
        """Import the bundle's loader, a path inside it, and load. `backend` and `precision` as the runtime has them."""
        return self._calls.call("load", LoadResult, entry=f"{self._entry}{entry}", backend=backend, precision=precision)

    def run_timed(self, feeds: Tensors) -> tuple[dict[str, NDArray[Any]], float]:
        """Run raw tensors; return every output, and the milliseconds it took."""
        ran: TensorsResult = self._calls.call("tensors", TensorsResult, feeds=self._calls.upload(feeds))
        return {held.name: self._take(held) for held in ran.outputs}, ran.ms

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name. Raises PageError."""
        return self.run_timed(feeds)[0]

    def preprocess(self, pictures: Sequence[Path]) -> NDArray[Any]:
        """Return the tensor the runtime makes of a picture's file, or of those of a stack."""
        return self._take(self._calls.call("preprocess", TensorHandle, urls=self._calls.upload_images(pictures)))

    def predict(self, pictures: Sequence[Path], options: Mapping[str, float | str | list[float]]) -> RunResult:
        """Run the whole way: decode the file, or those of a stack, preprocess, infer with `options`, decode."""
        answer: RunResult = self._calls.call(
            "picture", RunResult, urls=self._calls.upload_images(pictures), options=dict(options)
        )
        if answer.cells is None:
            return answer
        return msgspec.structs.replace(answer, segments=with_mask_data(answer.segments, self._take(answer.cells)))

    def output_tensors(self, answer: RunResult) -> dict[str, NDArray[Any]]:
        """Return the outputs that wait for a picture's answer; they do so once."""
        return {held.name: self._take(held) for held in answer.outputs}

    def prediction(self, answer: RunResult) -> Sequence[Any]:
        """Return what the runtime decoded of a picture's outputs; maps wait in the page, and do so once."""
        maps = [each for each in (self._segmentation(answer), self._depth_map(answer)) if each is not None]
        return maps or answer.classes or answer.detections_of_any_kind

    def _depth_map(self, answer: RunResult) -> DepthMap | None:
        if answer.depth is None:
            return None
        confidence = None if answer.confidence is None else self._take(answer.confidence)
        return DepthMap(self._take(answer.depth), confidence, answer.min, answer.max)

    def _segmentation(self, answer: RunResult) -> Segmentation | None:
        if answer.map is None:
            return None
        return Segmentation(self._take(answer.map).astype(np.uint16), answer.regions)

    def dispose(self) -> None:
        """Free what the model holds; the page stays."""
        self._calls.call("dispose", None)

    def _take(self, held: TensorHandle) -> NDArray[Any]:
        def piece(start: int, most: int) -> str:
            return self._calls.call("take", str, handle=held.handle, offset=start, length=most)

        data = fetch_bytes(held.bytes, piece)
        self._calls.call("release", None, handle=held.handle)
        return np.frombuffer(data, _LITTLE_ENDIAN_DTYPES[held.type]).reshape(held.dims)


def with_mask_data(segments: Sequence[Segment], cells: NDArray[Any]) -> tuple[Segment, ...]:
    """Give each mask its part of the cells, which are 0 or 1."""
    ends = np.cumsum([segment.mask.columns * segment.mask.rows for segment in segments], dtype=np.int64)
    if cells.size != (ends[-1] if segments else 0) or (cells > 1).any():
        raise PageError(RuntimeFailure("wrong-mask", f"the masks do not fit their {cells.size} cells of 0 or 1", ""))
    parts = [part.tobytes() for part in np.split(cells, ends[:-1])]
    return tuple(
        msgspec.structs.replace(segment, mask=msgspec.structs.replace(segment.mask, data=part))
        for segment, part in zip(segments, parts, strict=False)
    )
