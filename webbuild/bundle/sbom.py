"""`sbom.cdx.json`: the bill of materials of a bundle, with licences and hashes."""

from __future__ import annotations

from pathlib import Path

from webbuild.bundle.cyclonedx import component, document, engine_component, package_components
from webbuild.bundle.licenses import NO_LICENSE
from webbuild.manifest.file_entry import file_hash
from webbuild.manifest.manifest import Manifest
from webbuild.ortweb.packaged_assets import TOKENIZER, packages_inside

SBOM_FILE = "sbom.cdx.json"
_TOKENIZERS = "@huggingface/tokenizers"


def bundle_sbom(manifest: Manifest, folder: Path) -> str:
    """Return the bill of materials (CycloneDX) of a bundle in `folder`, which has its runtime and page."""
    made_by = manifest.generator
    prompted = (folder / "runtime" / TOKENIZER).is_file()
    inside = package_components([each for each in packages_inside() if prompted or each["name"] != _TOKENIZERS])
    engine = engine_component(manifest.engine.version, _hashed(folder, "runtime/ort/*"))
    runtime = component(
        "library",
        "@webbuild/runtime",
        made_by.version,
        registry="npm",
        license_name="Apache-2.0",
        files=_hashed(folder, "runtime/*"),
    )
    page = component(
        "library", "demo page", made_by.version, license_name="Apache-2.0", files=_hashed(folder, "page/**/*")
    )
    models = [
        component(
            "machine-learning-model",
            source.file,
            license_name="" if source.license == NO_LICENSE else source.license,
            sha256=source.sha256,
            description="The model as it was packed; the graphs in model/ are made of it.",
        )
        for source in (stage.source for stage in manifest.every_model)
    ]
    return document(
        component("application", manifest.name),
        [engine, runtime, *inside, page, *models],
        inside={runtime["bom-ref"]: [each["bom-ref"] for each in inside]},
        tool=component("application", made_by.name, made_by.version, registry="pypi", license_name="Apache-2.0"),
    )


def _hashed(folder: Path, pattern: str) -> dict[str, str]:
    """Return the SHA-256 of files, by path in the folder."""
    return {file.relative_to(folder).as_posix(): file_hash(file) for file in folder.glob(pattern) if file.is_file()}
