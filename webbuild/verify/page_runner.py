"""A bundle in a browser page: its own runtime, loaded with one backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.server import Server
from webbuild.browser.tensor_transfer import fetch_bytes
from webbuild.manifest.manifest import Glue
from webbuild.runners.tensors import Tensors
from webbuild.verify.page_messages import (
    LoadResult,
    RunAnswer,
    RunResult,
    RuntimeFailure,
    TensorHandle,
    TensorsResult,
)
from webbuild.verify.page_rpc import PageError, PageRpc

_TYPED_ARRAYS = {
    **{f"Float{bits}Array": f"<f{bits // 8}" for bits in (16, 32, 64)},
    **{f"Int{bits}Array": f"<i{bits // 8}" for bits in (8, 16, 32)},
    **{f"Uint{bits}Array": f"<u{bits // 8}" for bits in (8, 16, 32)},
    "BigInt64Array": "<i8",
    "BigUint64Array": "<u8",
    "Uint8ClampedArray": "|u1",
}
"""NumPy types of JavaScript's typed arrays."""

Track = Literal["begin", "on"]
"""Whether a frame begins a video, and its tracks, or goes on with it."""


class PageRunner:
    """Drives one page. Call `load` first; `run_timed` runs raw tensors, `predict` returns a visitor's result.

    Args:
        page: an empty page.
        server: serves the bundle at its root; the runner page and the tensors are added to its virtual files.
        name: the name of the graph and its variant.
        stage: the stage to run, in a bundle of several.
        seconds: the time limit of each step.
    """

    def __init__(self, page: DrivenPage, server: Server, name: str, *, stage: str = "", seconds: float = 300) -> None:
        self.name = name
        self._stage = stage
        self._entry = server.url
        self._worker: str | None = None
        self._calls = PageRpc(page, server, seconds, "webbuild.verify", ["runner.js"])

    def adapter(self) -> tuple[str, ...] | None:
        """Return the features of the page's WebGPU adapter, None if there is none."""
        return self._calls.call("adapter", tuple[str, ...] | None)

    def load(
        self,
        entry: str,
        backend: str | Mapping[str, str],
        precision: str | Mapping[str, str] = "auto",
        size: tuple[int, int] | None = None,
        *,
        self_test: bool = True,
    ) -> LoadResult:
        """Import the bundle's loader (`entry`, a path inside the bundle), and load it with the runtime's options."""
        chosen: dict[str, Any] = {} if size is None else {"size": size}
        chosen |= {"backend": backend, "precision": precision, "selfTest": self_test, **self._of_stage()}
        chosen |= {} if self._worker is None else {"worker": self._worker}
        return self._calls.call("load", LoadResult, entry=f"{self._entry}{entry}", **chosen)

    def run_timed(self, feeds: Tensors, stage: str = "") -> tuple[dict[str, NDArray[Any]], float]:
        """Run raw tensors through a stage; return every output, and the milliseconds of the run."""
        return self._outputs("tensors", feeds=self._calls.upload(feeds), **self._of_stage(stage))

    def look(self, pictures: Sequence[Path], feeds: Tensors) -> tuple[dict[str, NDArray[Any]], float]:
        """Run the first stage on a picture, then the last stage with its other inputs, `feeds`."""
        urls = self._calls.upload_images(pictures)
        return self._outputs("look", urls=urls, feeds=self._calls.upload(feeds))

    def glue(
        self, glue: Glue, read: Tensors, picture: dict[str, Any], pictures: Sequence[Path]
    ) -> dict[str, NDArray[Any]]:
        """Call a module with the outputs that it reads, by "stage.output", as the worker does; return its outputs.

        If the model is loaded, the first stage runs on the pictures, and the module gets its results.
        """
        urls, feeds = self._calls.upload_images(pictures), self._calls.upload(read)
        reads = [(each.stage, each.output) for each in glue.reads]
        file = f"{self._entry}{glue.file}"
        return self._outputs("glue", file=file, name=glue.file, reads=reads, feeds=feeds, picture=picture, urls=urls)[0]

    def _of_stage(self, stage: str = "") -> dict[str, str]:
        """Return the argument that names the stage, nothing for a single stage."""
        return {"stage": name} if (name := stage or self._stage) else {}

    def _outputs(self, command: str, **arguments: Any) -> tuple[dict[str, NDArray[Any]], float]:
        ran: TensorsResult = self._calls.call(command, TensorsResult, **arguments)
        return {handle.name: self._take(handle) for handle in ran.outputs}, ran.ms

    def preprocess(self, pictures: Sequence[Path]) -> NDArray[Any]:
        """Return the tensor that the runtime makes of a picture's file, or of the files of a stack."""
        return self._take(self._calls.call("preprocess", TensorHandle, urls=self._calls.upload_images(pictures)))

    def predict(
        self,
        pictures: Sequence[Path],
        options: Mapping[str, float | str | list[float]],
        place: int | None = None,
        second: Path | None = None,
        track: Track | None = None,
    ) -> RunResult:
        """Run end to end: decode the picture or stack, preprocess, infer with `options`, decode the outputs.

        With a `place`, the pictures are a batch, and the result is for the picture at that index. `second` is the
        second picture. `track` tracks objects from frame to frame of a video.

        Raises:
            PageError: the runtime failed.
        """
        urls = self._calls.upload_images([*pictures, *([] if second is None else [second])])
        answer: RunAnswer = self._calls.call(
            "picture",
            RunAnswer,
            urls=urls[: len(pictures)],
            options=dict(options),
            place=place,
            second=urls[len(pictures) :],
            track=track,
        )
        return self._result(answer)

    def _result(self, answer: RunAnswer) -> RunResult:
        fields = with_arrays(answer.result, self._take(answer.arrays).tobytes())
        return msgspec.structs.replace(msgspec.convert(answer.result, RunResult), fields=fields)

    def embed_text(self, text: str) -> NDArray[Any]:
        """Return the vector of a text, which the page tokenizes.

        Raises:
            PageError: the runtime failed.
        """
        return self._take(self._calls.call("words", TensorHandle, text=text))

    def reset(self) -> None:
        """Set the states to zeros: the next run begins a sequence."""
        self._calls.call("reset", None)

    def states(self) -> dict[str, NDArray[Any]]:
        """Return the states after the last run, by the names of their inputs."""
        states: tuple[TensorHandle, ...] = self._calls.call("states", tuple[TensorHandle, ...])
        return {handle.name: self._take(handle) for handle in states}

    def dispose(self) -> None:
        """Free the model's resources; the page stays open."""
        self._calls.call("dispose", None)

    def _take(self, handle: TensorHandle) -> NDArray[Any]:
        def piece(start: int, most: int) -> str:
            return self._calls.call("take", str, handle=handle.handle, offset=start, length=most)

        data = fetch_bytes(handle.bytes, piece)
        self._calls.call("release", None, handle=handle.handle)
        return np.frombuffer(data, np.dtype(handle.type).newbyteorder("<")).reshape(handle.dims)


def with_arrays(result: dict[str, Any], content: bytes) -> dict[str, Any]:
    """Return a result with its arrays, which the page concatenated in `content`, in the same order.

    Raises:
        PageError: `wrong-arrays` if their lengths do not match the result.
    """
    rest = memoryview(content)

    def fill(value: Any) -> Any:
        nonlocal rest
        if isinstance(value, list):
            return [fill(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$array" not in value:
            return {name: fill(each) for name, each in value.items()}
        dtype = np.dtype(_TYPED_ARRAYS[value["$array"]])
        size = dtype.itemsize * value["length"]
        if size > len(rest):
            raise PageError(
                RuntimeFailure("wrong-arrays", f"{len(content)} bytes are too few for the result's arrays", "")
            )
        array, rest = rest[:size], rest[size:]
        return np.frombuffer(array, dtype)

    filled: dict[str, Any] = fill(result)
    if rest:
        raise PageError(RuntimeFailure("wrong-arrays", f"{len(rest)} of {len(content)} bytes belong to no array", ""))
    return filled
