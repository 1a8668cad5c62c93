"""Dawn for Node as an engine: the WebGPU of Chromium on any Vulkan driver, without Chromium."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.bisect.engine import Array, Ended, Ending, Take
from webbuild.browser.tensors import little_endian
from webbuild.errors import USAGE, WebbuildError
from webbuild.precision.arithmetic.laid import laid, tiny
from webbuild.precision.arithmetic.parts import INSTALL, Parts

_BAD = re.compile(
    r"WebGPU.*(error|invalid|lost)|Uncaptured|\[Invalid \w+|[Dd]evice (was|is) lost|Error while parsing WGSL"
)
"""What a GPU or the engine says of a run that did not fail, and whose answers mean nothing. In Node it goes past
`console`, where the worker listens for the same."""
_MARK = "@webbuild "
"""Before each answer of the script."""
_STARTING = 120.0
"""Seconds for the driver and the engine to start: the engine's WebAssembly is compiled."""
_TRIES = 3


class _Found(Struct, frozen=True):
    adapter: dict[str, str] | None
    halves: bool


class _Output(Struct, frozen=True):
    name: str
    type: str
    dims: list[int]


class _Answer(Struct, frozen=True):
    ending: Ending
    message: str
    log: list[str]
    outputs: list[_Output]


class Dawn:
    """Runs models on onnxruntime-web's native WebGPU build in Node; what hangs or crashes costs the process.

    Args:
        parts: of what it is made.
        seconds: what a run may take.
        verbose: whether the engine says where nodes are placed, in the log of every run.

    Raises:
        WebbuildError: `no-adapter` where the driver has no adapter, or none with float16; `dawn-failed` where it or
            the engine does not start; `no-runtime`.
    """

    def __init__(self, parts: Parts, seconds: float = 300, *, verbose: bool = False) -> None:
        self._parts, self._seconds, self._verbose = parts, seconds, verbose
        self._said: list[str] = []
        self._folder = TemporaryDirectory(prefix="webbuild-dawn-")
        self._root = f"{self._folder.name}/"
        self._engine = laid(self._root)
        self._process: subprocess.Popen[str] | None = None
        try:
            self.adapter = self._started()
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The build, Dawn and its adapter."""
        return f"onnxruntime-web {self._engine.target.name} in Dawn for Node on {self.adapter}"

    @property
    def software(self) -> bool:
        """Whether the adapter is lavapipe: Mesa's Vulkan on the CPU."""
        return "llvmpipe" in self.adapter

    def attempt(self, model: bytes, feeds: Mapping[str, Array], take: Take, *, verbose: bool = False) -> Ended:
        """Run a model. See `bisect.engine.Engine`; the engine's level of talk was settled when it started.

        Raises:
            WebbuildError: `dawn-failed` where the engine does not start again.
        """
        if self._process is None:
            self._started()
        return self._attempt(model, feeds, take, self._seconds, verbose=verbose)

    def _attempt(
        self, model: bytes, feeds: Mapping[str, Array], take: Take, seconds: float, *, verbose: bool = False
    ) -> Ended:
        options = {"executionProviders": [{"name": "webgpu"}]}
        job = {**self._sent(model, feeds), "options": options, "verbose": verbose or self._verbose}
        try:
            answer = msgspec.convert(self._ask({"job": job, "outputs": f"{self._root}out"}, seconds), _Answer)
        except _GoneError as error:
            self._end()
            return Ended("hang" if error.silent else "crash", str(error))
        complaint = next(filter(_complains, self._said), "") if answer.ending == "ran" else ""
        if answer.ending == "throws" or complaint:
            self._end()  # a device that was lost, or an engine that aborted, spoils what comes after
        if complaint:
            return Ended("throws", complaint[:2000])
        for number, output in enumerate(answer.outputs):
            data = np.fromfile(f"{self._root}out{number}", np.dtype(output.type).newbyteorder("<"))
            take(output.name, data.reshape(output.dims))
        return Ended(answer.ending, answer.message[:2000], (*answer.log, *self._said))

    def close(self) -> None:
        """End the process, and delete its files."""
        self._end()
        self._folder.cleanup()

    def _started(self) -> str:
        """Start until a model of one node is answered: rarely an engine that started never answers."""
        for left in reversed(range(_TRIES)):
            adapter = self._start()
            ended = self._attempt(tiny(), {"x": np.zeros(1, np.float16)}, lambda *_: None, _STARTING / 2)
            if ended.ending == "ran":
                return adapter
            if ended.ending != "hang" or not left:
                break
        what = f"Dawn for Node: a model of one node: {ended.ending}: {ended.message}"
        raise WebbuildError("dawn-failed", what, INSTALL, exit_code=USAGE)

    def _start(self) -> str:
        variables = {**os.environ, **self._parts.variables}
        self._process = subprocess.Popen(
            [self._parts.node, f"{self._root}dawn.js"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=variables,
            text=True,
        )
        try:
            found = msgspec.convert(self._ask({"webgpu": str(self._parts.webgpu)}, _STARTING), _Found)
            if found.adapter is None or not found.halves:
                raise WebbuildError("no-adapter", f"Dawn for Node: {_lack(found)}", INSTALL, exit_code=USAGE)
            ready = self._ask({"engine": self._engine.told(self._root)}, _STARTING)
        except _GoneError as error:
            raise WebbuildError("dawn-failed", f"Dawn for Node: {error}", INSTALL, exit_code=USAGE) from error
        if not ready.get("ready"):
            what = f"Dawn for Node: the engine did not start: {ready.get('message')}"
            raise WebbuildError("dawn-failed", what, "use Node.js 20.19 or newer", exit_code=USAGE)
        return _named(found.adapter)

    def _sent(self, model: bytes, feeds: Mapping[str, Array]) -> dict[str, Any]:
        Path(f"{self._root}model").write_bytes(model)
        described = []
        for number, (name, value) in enumerate(feeds.items()):
            path = f"{self._root}in{number}"
            Path(path).write_bytes(little_endian(value))
            described.append({"name": name, "type": value.dtype.name, "dims": list(value.shape), "url": path})
        return {"model": f"{self._root}model", "feeds": described}

    def _ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        self._said = []
        late = Timer(seconds, process.kill)
        late.start()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = next((line for line in process.stdout if not self._heard(line)), None)
        except BrokenPipeError:
            line = None
        finally:
            silent = not late.is_alive()
            late.cancel()
        if line is None:
            raise _GoneError(f"no answer in {seconds:g} s" if silent else "the process ended", silent=silent)
        answer: dict[str, Any] = json.loads(line.removeprefix(_MARK))
        return answer

    def _heard(self, line: str) -> bool:
        """Whether a line is what the engine or Dawn said, not an answer."""
        if not line.startswith(_MARK):
            self._said.append(line.rstrip())
        return not line.startswith(_MARK)

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            with suppress(BrokenPipeError), self._process:  # closes its pipes, and waits
                pass
        self._process = None


def _complains(line: str) -> bool:
    """Whether something went wrong: the engine destroys a device itself, behind its last session."""
    return _BAD.search(line) is not None and "Device was destroyed" not in line


class _GoneError(Exception):
    """The process is gone. `silent`: it was ended, since it did not answer."""

    def __init__(self, message: str, *, silent: bool) -> None:
        super().__init__(message)
        self.silent = silent


def _lack(found: _Found) -> str:
    if found.adapter is None:
        return "the Vulkan driver has no adapter"
    return f"{_named(found.adapter)} has no shader-f16, which lavapipe has since Mesa 24"


def _named(adapter: Mapping[str, str]) -> str:
    return adapter["description"] or adapter["device"] or adapter["vendor"] or "an unnamed adapter"
