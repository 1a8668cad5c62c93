"""The engine that `import "onnxruntime-web"` gives, served in place of the bundle's own."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from webbuild import assets
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.manifest import Engine, EngineBuild, encode
from webbuild.stored import describe
from webbuild.verify.opened import Bundle

BUILD = "jsep"

_ROOM = "/__webbuild__/jsep/"


def without_unfit(bundle: Bundle) -> Bundle:
    """Return the bundle as this build may have it: in float32, and without WebGPU where that must not run on it.

    In half precision nothing of it is proven, and without shader-f16 its Cast gives zeros.
    """
    whole = [each for each in bundle.manifest.graphs if each.precision == "fp32"]
    bundle = Bundle(bundle.directory, msgspec.structs.replace(bundle.manifest, graphs=whole))
    graph = bundle.graph("webgpu")
    reason = next((each for each in bundle.manifest.withheld if each.build == BUILD), None)
    if graph is None or reason is None:
        return bundle
    manifest = msgspec.structs.replace(
        bundle.manifest,
        graphs=[each for each in whole if each is not graph],
        withheld=[msgspec.structs.replace(reason, build="webgpu")],
    )
    return Bundle(bundle.directory, manifest)


def stand_in(server: Server, bundle: Bundle) -> Engine:
    """Add the build to what is served, put a manifest that names it over the bundle's, return its version.

    The runtime knows no jsep. It is told of an `asyncify`, the other build that does without JSPI.

    Raises:
        WebbuildError: `no-runtime` when the TypeScript runtime was not built.
    """
    version, files = assets.jsep_files()
    entry, glue, wasm = (f"{_ROOM}{file.name}" for file in files)
    described = [msgspec.structs.replace(describe(file, file.parent), path=f"{_ROOM}{file.name}") for file in files]
    engine = Engine(version=version)
    manifest = msgspec.structs.replace(
        bundle.manifest,
        engine=engine,
        engines=[EngineBuild(build="asyncify", entry=entry, glue=glue, wasm=wasm)],
        files=[*bundle.manifest.files, *described],
    )
    server.virtual.update({f"{_ROOM}{file.name}": (media_type(file.name), file.read_bytes()) for file in files})
    path = f"{urlsplit(server.url).path}manifest.json"
    server.virtual[path] = (media_type(path), encode(manifest))
    return engine
