"""The files of a bundle and the program that wrote them, in the manifest."""

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
    """The model that was given to `webbuild pack`."""

    file: str
    sha256: Sha256
    size: Size
    producer: str
    license: str


class File(ManifestStruct, kw_only=True, frozen=True):
    """A file of the bundle that the runtime or the page loads.

    `size` and `sha256` are those of the stored file. A compressed file, by its `encoding`, has `uncompressed_size`
    bytes with the hash `uncompressed_sha256` after decompression; some hosts decompress it themselves.

    A file with `parts` is not stored itself: it is the concatenation of the contents of its parts, which are files of
    this list. Its `size` and `sha256` are then those of the concatenated stored parts. With `quantization` int8 the
    contents are integers with scales, from which the `uncompressed_size` bytes are computed
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
    """One build of the engine: its JavaScript entry, its glue code, its (compressed) WebAssembly."""

    build: Literal["jspi", "asyncify", "wasm"]
    entry: Path
    glue: Path
    wasm: Path


class GoldenSequence(ManifestStruct, kw_only=True, frozen=True):
    """The results of a model with states when the inputs of its golden run are run `steps` times.

    Each run takes the states of the previous one. `outputs` are some outputs of the last run, states among them: they
    change if a state is not carried over.
    """

    steps: Annotated[int, Meta(ge=2)]
    outputs: dict[str, Path]


class Golden(ManifestStruct, kw_only=True, frozen=True):
    """A golden run: inputs and their known outputs, stored as raw little-endian tensors.

    The inputs in `uint8_inputs` are pictures, stored with one byte per element: the colour level 0..255 before the
    input's scaling and normalization, which are computed in float64. `sequence` is only there for a model with states,
    `tolerance` for one that quantizes values in its graph: the difference that the self-test allows, relative to the
    root mean square of an output, in place of 0.02.
    """

    sample: str
    inputs: dict[str, Path]
    outputs: dict[str, Path]
    uint8_inputs: list[str] = []
    sequence: GoldenSequence | UnsetType = UNSET
    tolerance: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET


class StageOutput(ManifestStruct, kw_only=True, frozen=True):
    """An output of a stage."""

    stage: str
    output: str


class Glue(ManifestStruct, kw_only=True, frozen=True):
    """A JavaScript module that computes inputs of a stage from outputs of earlier stages, in the worker.

    Its default export gets the tensors listed in `reads`, and returns tensors for the inputs of the kind `tensor`.
    """

    file: Path
    reads: list[StageOutput]


class Sample(ManifestStruct, kw_only=True, frozen=True):
    """A picture to try the model on, or a stack of pictures: `stack` lists all of them, `file` is the first.

    `focus_distances` has a number for each picture of the stack. `prompt` is the text prompt.
    """

    file: Path
    title: str
    width: Count
    height: Count
    stack: list[Path] = []
    focus_distances: list[float] = []
    prompt: str = ""
