"""The files of a bundle, and who wrote them, as the manifest says it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count, Size

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Path = Annotated[str, Meta(description="Relative to the manifest, with forward slashes.")]


class Generator(ManifestStruct, kw_only=True, frozen=True):
    """The program that wrote the bundle."""

    name: Literal["webbuild"] = "webbuild"
    version: str


class Engine(ManifestStruct, kw_only=True, frozen=True):
    """The build of onnxruntime-web inside the bundle."""

    name: Literal["onnxruntime-web"] = "onnxruntime-web"
    version: str


class Source(ManifestStruct, kw_only=True, frozen=True):
    """The model as it was given to `webbuild pack`."""

    file: str
    sha256: Sha256
    size: Size
    producer: str
    license: str


class File(ManifestStruct, kw_only=True, frozen=True):
    """A file of the bundle that the runtime or the page loads.

    `size` and `sha256` are those of the file as it is stored; a file that is compressed, as its `encoding` says, holds
    `uncompressed_size` bytes of the hash `uncompressed_sha256`, which is what comes from a host that decompresses it. A
    file with `parts` is not stored itself: it is what its parts hold, files of this list too, one after the other;
    `size` and `sha256` are then those of the parts as they are stored. What the parts of a file of `quantization` int8
    hold are whole numbers with scales, from which its `uncompressed_size` bytes are made
    (webbuild/quantization/weight_format.py).
    """

    path: Path
    size: Size
    sha256: Sha256
    encoding: Literal["identity", "gzip", "zstd"] = "identity"
    uncompressed_size: Size
    uncompressed_sha256: Sha256 | UnsetType = UNSET
    parts: list[Path] = []
    quantization: Literal["none", "int8"] = "none"


class EngineBuild(ManifestStruct, kw_only=True, frozen=True):
    """One build of the engine: its JavaScript entry, its glue, its (compressed) WebAssembly."""

    build: Literal["jspi", "asyncify", "wasm"]
    entry: Path
    glue: Path
    wasm: Path


class GoldenSequence(ManifestStruct, kw_only=True, frozen=True):
    """What a model with states answers to the inputs of its golden run, run `steps` times.

    Each run takes the states of the one before. Of the last one `outputs` has some, by which every state that is not
    carried is seen; those that are states are among them.
    """

    steps: Annotated[int, Meta(ge=2)]
    outputs: dict[str, Path]


class Golden(ManifestStruct, kw_only=True, frozen=True):
    """A run with known answers, kept as raw little-endian tensors.

    Of the inputs in `uint8_inputs`, which are pictures, a byte for each element is kept: the level of its colour, 0 to
    255, still to be scaled and normalized as the input says, in float64. `sequence` is of a model with states.
    """

    sample: str
    inputs: dict[str, Path]
    outputs: dict[str, Path]
    uint8_inputs: list[str] = []
    sequence: GoldenSequence | UnsetType = UNSET


class StageOutput(ManifestStruct, kw_only=True, frozen=True):
    """An output of a stage."""

    stage: str
    output: str


class Glue(ManifestStruct, kw_only=True, frozen=True):
    """A JavaScript module that makes inputs of a stage from outputs of earlier ones, in the worker.

    Its default export gets the tensors that it `reads`, and returns those of inputs of the kind `tensor`.
    """

    file: Path
    reads: list[StageOutput]


class Sample(ManifestStruct, kw_only=True, frozen=True):
    """A picture to try the model on, or a stack of them: `file` is then its first picture, `stack` has them all.

    `focus_distances` are the numbers that go with the stack's pictures; `prompt` is what to look for in the picture.
    """

    file: Path
    title: str
    width: Count
    height: Count
    stack: list[Path] = []
    focus_distances: list[float] = []
    prompt: str = ""
